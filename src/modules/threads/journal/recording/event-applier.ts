import { randomUUID } from 'node:crypto';
import type { Reporter } from '../../bindings/reporter.js';
import { UNKNOWN_AGENT } from '../../bindings/run-matching.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { retryAfterReport } from '../../entities/run-retry.js';
import { exceededBudgetData } from '../../entities/exceeded-budget.js';
import type { RunLease } from '../../leases/run-lease.entity.js';
import type { ReportedEvent, SupersededReason } from '../../threads.contract.js';
import { BatchMemory } from '../rules/batch-memory.js';
import { CheckpointRecorder, type Opening, type PlannedCheckpoint } from './checkpoint-recorder.js';
import { listDigestsOf, reportDigestOf, SameReports, type SeenDigests } from '../rules/event-digests.js';
import { assertMaySpeak, assertWithinRun, type ApplierOptions } from './event-permission.js';
import { BUDGET_WARNING, statusGivenBy } from '../../../../common/contract/event-types.js';
import { isAtRest, isEnded, RUN_STATUS } from '../../../../common/contract/run-status.js';
import { endingOf, eventFactsOf, isCancelled, isCancelledRow, runFactsOf } from '../rules/run-facts.js';
import { decide, type Decision } from '../rules/run-rules.js';
import type { CallerRow } from '../store/journal.repository.js';
import { ReportedRuns } from './reported-runs.js';
import { RunFences, staleFence } from './run-fences.js';
import { RunStandings } from './run-standings.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Readable, ThreadReader } from '../store/thread-reader.js';
import { NO_LISTS, pendingCalls, type RunLists, type RunState } from '../rules/thread-state.js';
import { assertFollowsLatest, DeltaResolver } from '../lists/delta-resolver.js';

const NO_REPORTS: readonly Checkpoint[] = [];

interface EventPlan {
  readonly decision: Decision;
  /** The event's run; null for a new run. */
  readonly run: RunState | null;
  readonly event: ReportedEvent;
  readonly digest: string;
  /** For an event without an id: the earlier report of its step that says the same. */
  readonly report: Checkpoint | null;
  readonly opening: Opening | null;
  /** An existing lease for the run that the event opens. */
  readonly lease: RunLease | null;
  readonly checkpoint: PlannedCheckpoint | null;
}

/**
 * Applies a batch's events to one thread draft in two steps. `plan` finds the event's run, asks the rules, and reads everything that the
 * decision needs. `carryOut` changes the draft and reads nothing.
 */
export class EventApplier {
  private readonly recorder: CheckpointRecorder;
  private readonly standings: RunStandings;
  private readonly fences: RunFences;
  private readonly reporter: Reporter;
  private readonly draft: ThreadDraft;
  private readonly memory: BatchMemory;
  private readonly runs: ReportedRuns;
  /** The previous event was refused with `stale_fence`. */
  private isAfterStale = false;
  private readonly deltas: DeltaResolver;
  private readonly met: RunState[] = [];

  /**
   * @param events the thread's events of the batch, in order
   * @param seenDigests their digests, already looked up by the transaction
   */
  constructor(
    private readonly reader: ThreadReader,
    private readonly events: readonly ReportedEvent[],
    private readonly options: ApplierOptions,
    private readonly seenDigests: SeenDigests,
  ) {
    const { draft } = reader;
    this.draft = draft;
    this.reporter = options.reporter;
    this.memory = new BatchMemory(events);
    this.standings = new RunStandings(draft, options.reporter);
    this.runs = new ReportedRuns(draft, reader, this.memory, options.reporter);
    this.fences = new RunFences(draft, reader, options.reporter);
    this.deltas = new DeltaResolver(draft, reader, options.reporter);
    this.recorder = new CheckpointRecorder(draft, reader, this.standings, options.reporter);
  }

  /** Call this before the first event: it loads the runs that the batch names. */
  async beginBatch(): Promise<void> {
    if (this.draft.isNew) return;
    const traceIds = new Set<string>();
    for (const { traceId } of this.events) if (traceId !== null) traceIds.add(traceId);
    await this.reader.expect(traceIds);
  }

  /**
   * Applies the next event.
   * @throws DomainError `agent_not_allowed`, `run_not_allowed`, `stale_fence` or `base_mismatch`; then nothing has changed
   */
  async apply(event: ReportedEvent): Promise<void> {
    // Small events come by the thousand, mostly for runs in memory: awaiting each of these values would cost more than the rules.
    const found = this.runs.of(event);
    const run = found instanceof Promise ? await found : found;
    if (this.options.ownRun !== null) await assertWithinRun(event, run, this.options.ownRun, this.reader);
    assertMaySpeak(event, run, this.options);
    const implied = this.options.ownRun?.fence ?? null;
    const isStale = this.isOfStale(event) || this.fences.isStaleReport(run, event, implied);
    this.isAfterStale = isStale instanceof Promise ? await isStale : isStale;
    if (this.isAfterStale) throw staleFence();
    if (event.kind === 'note') this.addNote(event, run);
    else this.carryOut(await this.plan(run, event));
    if (run && !this.met.includes(run)) this.met.push(run);
  }

  /** Call this after the last event: it reopens the runs that the batch restarted and did not end again. */
  finishBatch(): void {
    for (const runNo of this.memory.marked) {
      const run = this.draft.runs.get(runNo);
      if (run?.mark && isAtRest(run.row.status)) this.changeStatus(run, RUN_STATUS.inProgress);
    }
  }

  cancelledRuns(): Readable<readonly CallerRow[]> {
    return this.met.some(mayBeCancelled) ? cancelledAmong(this.met, this.reader, this.reporter) : [];
  }

  private async plan(run: RunState | null, event: ReportedEvent): Promise<EventPlan> {
    const { reader, recorder, memory } = this;
    const isCheckpoint = event.kind === 'checkpoint';
    const step = event.fields.step_index;
    // An event with a base is known by its id alone; the text of a start is never compared.
    const digest = event.base || event.kind === 'started' ? '' : reportDigestOf(event);
    const same = event.id === null ? new SameReports(event, digest) : null;
    // Only an already reported step can be a replay or a replacement.
    const found = run && isCheckpoint && step !== null ? reader.reportsOf(run, step, same) : NO_REPORTS;
    const reports = found instanceof Promise ? await found : found;
    const isSeen = reader.isSeen(this.seenDigests.get(event));
    const report = same?.firstAmong(reports) ?? null;
    const isKnownReport = isCheckpoint ? report !== null : isSeen;
    const facts = eventFactsOf(event, run, memory, { digest, isSeen, isKnownReport });
    const decision = decide(run && runFactsOf(run), facts);
    if (decision !== 'replay') assertFollowsLatest(event, run);
    const opening = decision === 'open' ? await recorder.planRun(event) : null;
    const mayBeLeased = opening !== null && this.draft.row.last_fence !== 0;
    const lease = mayBeLeased ? await this.fences.leaseOfFutureRun(agentOfNewRun(event)) : null;
    const isStored = isCheckpoint && decision !== 'replay' && decision !== 'late';
    const known = opening?.lists ?? (run && isStored ? reader.listsOfRun(run) : null);
    const before = known instanceof Promise ? await known : known;
    const checkpoint =
      isStored && before ? await this.planCheckpoint(run, event, before, { decision, digest, reports }) : null;
    return { decision, run, event, digest, report, opening, lease, checkpoint };
  }

  private async planCheckpoint(
    run: RunState | null,
    event: ReportedEvent,
    before: RunLists,
    { decision, digest, reports }: { decision: Decision; digest: string; reports: readonly Checkpoint[] },
  ): Promise<PlannedCheckpoint> {
    const { reader, recorder } = this;
    const resolved = this.deltas.of(event, run, before);
    const lists = resolved instanceof Promise ? await resolved : resolved;
    const listDigests = event.id === null ? null : listDigestsOf(lists);
    const replayed = run && decision === 'new-attempt' ? await reader.replayedOf(run) : NO_REPORTS;
    const { history, meta } = await recorder.planLists(lists, before);
    return {
      event,
      digests: { digest: event.base ? reportDigestOf(event, listDigests!) : digest, list_digests: listDigests },
      reports,
      replayed,
      takenOver: replayed.length === 0 ? NO_LISTS : await reader.listsAmong(replayed),
      history,
      meta,
    };
  }

  private carryOut(plan: EventPlan): void {
    const { decision, run, event } = plan;
    if (run) this.standings.noteReport(run, event, decision !== 'replay' && decision !== 'late');
    if (decision !== 'replay') this.markSeen(event);
    const waiting = run && pendingCalls(run);
    const before = run && { status: run.row.status, isMarked: run.mark !== null, hasWarned: hasWarned(run) };
    const touched = run ? this.change(run, plan) : this.open(plan);
    if (!touched) return;
    this.reader.listMemory.note(touched);
    this.draft.facts.noteCalls(touched, waiting, supersededBy(decision, event, waiting));
    if (isNewEnd(decision, touched, before)) this.draft.facts.noteEnd(touched, this.draft.row.last_seq);
    if (event.kind === 'checkpoint' && hasWarned(touched) && !before?.hasWarned) {
      this.draft.facts.noteBudgetWarning(touched);
    }
    this.memory.note(touched, event, decision);
  }

  /** Null for a replay of an unknown run. */
  private open({ event, digest, opening, lease, checkpoint }: EventPlan): RunState | null {
    if (!opening) return null;
    const run = this.recorder.openRun(event, event.traceId ?? randomUUID(), opening);
    if (lease) this.fences.attach(lease, run);
    if (checkpoint) this.recorder.record(run, 'append', checkpoint);
    else if (event.kind !== 'started') this.end(run, event, digest);
    this.met.push(run);
    return run;
  }

  private change(run: RunState, { decision, event, digest, report, checkpoint }: EventPlan): RunState {
    switch (decision) {
      case 'mark':
        this.mark(run, event);
        break;
      case 'append':
      case 'place':
      case 'belated':
      case 'new-attempt':
        // A new step above the highest shows that the restart was a replay, so it begins no new attempt.
        if (decision === 'append') this.draft.setMark(run, null);
        this.recorder.record(run, decision, checkpoint!);
        break;
      case 'end':
        this.end(run, event, digest);
        this.memory.unmark(run);
        break;
      case 'replay':
        this.replay(run, event, report);
        break;
      case 'late':
        // The agent's own ending of a cancelled run: a further one without a trace means another run.
        if (event.kind === 'ending' && isCancelled(run)) this.draft.setRun(run, 'ending_digest', digest);
        break;
      case 'open':
        break;
    }
    return run;
  }

  /** An event without a trace means the previous event's run, even if that event was refused. */
  private isOfStale({ traceId }: ReportedEvent): boolean {
    return this.isAfterStale && traceId === null;
  }

  /** Marks a restart without hiding or resetting anything; later events show whether it was a replay. */
  private mark(run: RunState, event: ReportedEvent): void {
    const { draft } = this;
    if (event.fields.model) draft.setRun(run, 'model', event.fields.model);
    const status = run.mark?.status ?? run.row.status;
    draft.setMark(run, { status, occurredAtMs: event.occurredAtMs, hasId: event.id !== null, replayed: [] });
  }

  private end(run: RunState, event: ReportedEvent, digest: string): void {
    const { draft } = this;
    const status = statusGivenBy(event.type)!;
    draft.setRun(run, 'retry', retryAfterReport(run.row.retry, false));
    draft.setRun(run, 'ending_digest', digest);
    draft.setRun(run, 'ending', JSON.stringify(endingOf(event, status)));
    draft.setRun(run, 'error', event.error ?? (status === RUN_STATUS.error ? run.row.error : null));
    if (event.fields.model) draft.setRun(run, 'model', event.fields.model);
    this.recorder.merge(run, event, status);
    draft.setRunStatus(run, status);
    draft.facts.noteStatus();
    draft.setMark(run, null);
    draft.addEvent({
      kind: 'status',
      type: status,
      run_no: run.row.run_no,
      step_index: run.latest?.step_index ?? null,
      data: status === RUN_STATUS.budgetExceeded ? exceededBudgetData(run.latest, event.error) : event.error,
    });
  }

  /** Changes nothing except after a restart: the run then remembers the replayed step, and a repeated ending restores its end. */
  private replay(run: RunState, event: ReportedEvent, report: Checkpoint | null): void {
    if (!run.mark) return;
    if (report && !run.mark.replayed.includes(report.seq)) {
      this.draft.setMark(run, { ...run.mark, replayed: [...run.mark.replayed, report.seq] });
    }
    const isRepeatedEnd = event.kind === 'ending' || event.kind === 'idle';
    if (event.id !== null && run.mark.hasId) return;
    if (!isRepeatedEnd || !isAtRest(run.mark.status)) return;
    this.changeStatus(run, run.mark.status);
    this.draft.setMark(run, null);
  }

  /** Reopens an ended run, or restores its end. Readers see it, but it is not news. */
  private changeStatus(run: RunState, status: string): void {
    const { draft } = this;
    if (run.row.status === status) return;
    draft.setRunStatus(run, status, false);
    draft.addEvent({ kind: 'status', type: status, run_no: run.row.run_no, step_index: null, data: null }, false);
    if (run.latest) draft.setLatest(run, draft.amendCheckpoint(run.latest, { status, rev: draft.row.last_seq }));
  }

  private markSeen(event: ReportedEvent): void {
    const digest = this.seenDigests.get(event);
    if (digest !== undefined && !this.reader.isSeen(digest)) this.draft.addSeen(digest);
  }

  /** Keeps the event for the logs; no run changes. */
  private addNote(event: ReportedEvent, run: RunState | null): void {
    if (this.reader.isSeen(this.seenDigests.get(event))) return;
    this.markSeen(event);
    this.draft.addEvent({
      kind: 'log',
      type: event.type,
      run_no: run?.row.run_no ?? null,
      step_index: event.fields.step_index ?? run?.latest?.step_index ?? null,
      data: event.dataText.orString(),
    });
    if (run && event.type === BUDGET_WARNING) this.draft.facts.noteBudgetWarning(run);
  }
}

/** A repeated end counts again only after a restart. A cancellation is not an end that an agent reports. */
function isNewEnd(
  decision: Decision,
  { row }: RunState,
  before: { status: string; isMarked: boolean } | null,
): boolean {
  if (!isEnded(row.status) || decision === 'replay' || decision === 'late' || decision === 'belated') return false;
  return before === null || before.status !== row.status || (before.isMarked && decision !== 'mark');
}

function hasWarned({ latest }: RunState): boolean {
  return latest?.budget_warning === true;
}

function agentOfNewRun({ traceId, fields }: ReportedEvent) {
  return { traceId, agentId: fields.agent_id ?? UNKNOWN_AGENT };
}

function supersededBy(decision: Decision, event: ReportedEvent, waiting: Checkpoint | null): SupersededReason {
  if (decision === 'end') return 'run_ended';
  if (decision === 'new-attempt') return 'new_attempt';
  return event.fields.step_index === waiting?.step_index ? 'replaced' : 'later_step';
}

/** Most runs have no caller and are not cancelled: then `cancelledAmong` need not look. */
function mayBeCancelled(run: RunState): boolean {
  return run.row.parent_trace_id !== null || isCancelled(run);
}

/** The cancelled runs among these, and cancelled callers of the others, as far as the reporter may speak for them. */
async function cancelledAmong(
  runs: readonly RunState[],
  reader: ThreadReader,
  reporter: Reporter,
): Promise<CallerRow[]> {
  const called = runs.filter((run) => run.row.parent_trace_id !== null && !isCancelled(run));
  const callers = await reader.ancestry.callersOf(called.map(({ row }) => row));
  const cancelled = new Map<number, CallerRow>();
  for (const { row } of runs) {
    for (const one of callers.get(row.run_no) ?? [row]) {
      if (isCancelledRow(one) && reporter.maySpeakFor(one.agent_id)) cancelled.set(one.run_no, one);
    }
  }
  return [...cancelled.values()];
}
