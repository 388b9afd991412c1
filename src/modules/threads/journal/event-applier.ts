import { randomUUID } from 'node:crypto';
import { after, type Awaitable } from '../../../common/awaitable.js';
import { DomainError } from '../../../common/domain-error.js';
import type { SqlReader } from '../../../database/database.js';
import type { Reporter } from '../bindings/reporter.js';
import { mayMean, runMeant, UNKNOWN_AGENT, type EventWords } from '../bindings/run-meant.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { ReportedEvent, SupersededReason } from '../threads.contract.js';
import type { BatchMemory } from './batch-memory.js';
import { CheckpointRecorder } from './checkpoint-recorder.js';
import { reportDigestOf, seenDigestOf } from './event-digests.js';
import type { JournalRepository } from './journal.repository.js';
import { statusGivenBy } from '../../../common/contract/event-types.js';
import { isAtRest, isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import type { RunLoader } from './run-loader.js';
import { endingOf, eventFactsOf, runFactsOf } from './run-facts.js';
import { decide, type Decision } from './run-rules.js';
import { RunStandings } from './run-standings.js';
import type { ThreadDraft } from './thread-draft.js';
import { pendingCalls, type RunState } from './thread-state.js';

const NO_REPORTS: readonly Checkpoint[] = [];

/** On whose behalf events are applied, and whether to the whole of the thread. */
export interface ApplierOptions {
  reporter: Reporter;
  /** Whether the reporter may begin runs in the thread, or only add to those that are there. */
  mayBeginRuns: boolean;
}

/** Applies reported events to one thread draft: asks the rules, and carries out what they decide. */
export class EventApplier {
  private readonly recorder: CheckpointRecorder;
  private readonly standings: RunStandings;
  private readonly reporter: Reporter;
  private readonly seen = new Set<string>();

  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: SqlReader,
    private readonly repository: JournalRepository,
    private readonly loader: RunLoader,
    private readonly options: ApplierOptions,
  ) {
    this.reporter = options.reporter;
    this.recorder = new CheckpointRecorder(draft, reader, repository, loader, options.reporter);
    this.standings = new RunStandings(draft, reader, loader, options.reporter);
  }

  /** Looks up in one statement which of these events were seen before; to be called before they are applied. */
  async prepare(events: readonly ReportedEvent[]): Promise<void> {
    const digests = events.map((event) => this.seenDigestOf(event)).filter((digest) => digest !== null);
    if (digests.length === 0) return;
    const seen = await this.repository.seenAmong(this.reader, this.draft.pk, digests);
    for (const digest of seen) this.seen.add(digest);
  }

  /** @throws DomainError `agent_not_allowed` before anything was changed */
  apply(event: ReportedEvent, memory: BatchMemory): Awaitable<void> {
    return after(this.runOf(event, memory), (run) => this.applyTo(run, event, memory));
  }

  private applyTo(run: RunState | null, event: ReportedEvent, memory: BatchMemory): Awaitable<void> {
    this.assertAllowed(run, event);
    if (!run && !this.options.mayBeginRuns) throw mayBeginNone();
    if (run) this.standings.noteReport(run, event);
    const seenDigest = this.seenDigestOf(event);
    if (event.kind === 'note') return this.applyNote(event, run, seenDigest!);
    return after(this.reportsOfStep(event, run), (reports) =>
      this.applyState(run, event, memory, { seenDigest, reports }),
    );
  }

  private applyState(
    run: RunState | null,
    event: ReportedEvent,
    memory: BatchMemory,
    { seenDigest, reports }: { seenDigest: string | null; reports: readonly Checkpoint[] },
  ): Awaitable<void> {
    const isSeen = seenDigest !== null && this.seen.has(seenDigest);
    const digest = reportDigestOf(event);
    const isKnownReport = event.kind === 'checkpoint' ? reports.some((report) => report.digest === digest) : isSeen;
    const facts = eventFactsOf(event, run, memory, { digest, isSeen, isKnownReport });
    const decision = decide(run && runFactsOf(run), facts);
    if (seenDigest !== null && !isSeen && decision !== 'replay') this.markSeen(seenDigest);
    const waiting = run && pendingCalls(run);
    return after(this.carryOut(decision, event, run, { digest, reports, memory }), (touched) => {
      if (!touched) return;
      this.draft.noteCalls(touched, waiting, supersededBy(decision, event, waiting));
      memory.note(touched, event, decision);
    });
  }

  private carryOut(
    decision: Decision,
    event: ReportedEvent,
    run: RunState | null,
    { digest, reports, memory }: { digest: string; reports: readonly Checkpoint[]; memory: BatchMemory },
  ): Awaitable<RunState | null> {
    switch (decision) {
      case 'open':
        return this.open(event, digest);
      case 'mark':
        this.mark(run!, event);
        return run;
      case 'append':
        // The start was a replay: what was replayed behind it begins no new attempt.
        this.draft.setMark(run!, null);
        return after(this.recorder.record(run!, event, digest, decision, reports), () => run);
      case 'place':
      case 'belated':
      case 'new-attempt':
        return after(this.recorder.record(run!, event, digest, decision, reports), () => run);
      case 'end':
        this.end(run!, event, digest);
        memory.marked.delete(run!.row.run_no);
        return run;
      case 'replay':
        if (run)
          this.replay(run, event, event.id === null ? reports.find((report) => report.digest === digest) : undefined);
        return run;
      case 'late':
        return run;
    }
  }

  private runOf(event: ReportedEvent, memory: BatchMemory): Awaitable<RunState | null> {
    if (event.traceId !== null) return this.runWithTrace(event.traceId, event, memory);
    return after(this.runWithoutTrace(event, memory), (run) =>
      run && event.kind === 'ending' ? this.endedBy(run, reportDigestOf(event)) : run,
    );
  }

  private runWithTrace(trace: string, event: ReportedEvent, { lastRun }: BatchMemory): Awaitable<RunState | null> {
    return after(this.loader.byTrace(this.reader, this.draft, trace), (found) => {
      if (found.length === 0) return null;
      // What names no agent goes on with the run of the event before it.
      const isSame = event.fields.agent_id === null && lastRun?.trace_id === trace;
      const meant = runMeant(
        found.map(({ row }) => row),
        wordsOf(event),
        this.reporter,
      );
      const runNo = isSame ? lastRun.run_no : meant?.run_no;
      return found.find(({ row }) => row.run_no === runNo) ?? null;
    });
  }

  private runWithoutTrace(event: ReportedEvent, { lastRun }: BatchMemory): Awaitable<RunState | null> {
    const { draft, reader, reporter } = this;
    if (lastRun && event.fields.agent_id === null) return this.loader.byNumber(reader, draft, lastRun.run_no);
    const runNo = lastRun?.run_no ?? draft.currentRunOf(reporter);
    return after(this.loader.byNumber(reader, draft, runNo), (run) =>
      run && mayMean(run.row, wordsOf(event), reporter) ? run : null,
    );
  }

  /**
   * The run that an ending without a trace ends: no sub-run a second time, but the nearest above it that is open, as far as the thread
   * knows those that called it. One that ended in these very words was meant before.
   */
  private endedBy(run: RunState, digest: string): Awaitable<RunState> {
    const isMeant = ({ row }: RunState) => !isEnded(row.status) || row.ending_digest === digest;
    return run.row.parent_trace_id === null || isMeant(run) ? run : this.runAbove(run, isMeant);
  }

  /** The nearest caller of which this holds; the run itself where there is none. */
  private async runAbove(run: RunState, isMeant: (run: RunState) => boolean): Promise<RunState> {
    const kinship = this.loader.kinship(this.reader, this.draft);
    const met = new Set([run.row.run_no]);
    for (let above = await kinship.parentOf(run.row); above; above = await kinship.parentOf(above)) {
      const caller = this.draft.knownRunByNumber(above.run_no);
      if (!caller || met.has(above.run_no) || !this.reporter.maySpeakFor(above.agent_id)) return run;
      if (isMeant(caller)) return caller;
      met.add(above.run_no);
    }
    return run;
  }

  /** Only a step that was reported before can be a replay or a replacement; above the highest ever there is nothing to look up. */
  private reportsOfStep(event: ReportedEvent, run: RunState | null): Awaitable<readonly Checkpoint[]> {
    const step = event.fields.step_index;
    if (!run || event.kind !== 'checkpoint' || step === null || step > run.highestStepEver) return NO_REPORTS;
    const isOfStep = (row: Checkpoint) => row.run_no === run.row.run_no && row.step_index === step && !row.is_initial;
    const stored = this.draft.isNew ? NO_REPORTS : this.repository.reportsOfStep(this.reader, run.row, step);
    return after(stored, (rows) => this.draft.overlay(rows, isOfStep));
  }

  /** Names nothing but what the event says itself: whose runs there are in the thread is not for everybody to know. */
  private assertAllowed(run: RunState | null, { fields }: ReportedEvent): void {
    const agentId = fields.agent_id ?? run?.row.agent_id ?? UNKNOWN_AGENT;
    if (this.reporter.maySpeakFor(agentId)) return;
    throw new DomainError('forbidden', 'agent_not_allowed', `The token may not report for the agent ${agentId}.`);
  }

  private seenDigestOf(event: ReportedEvent): string | null {
    return seenDigestOf(event, this.reporter.binding);
  }

  private markSeen(digest: string): void {
    this.seen.add(digest);
    this.draft.addSeen(digest);
  }

  private open(event: ReportedEvent, digest: string): Awaitable<RunState> {
    return after(this.recorder.openRun(event, event.traceId ?? randomUUID()), (run) => {
      if (event.kind === 'checkpoint') {
        return after(this.recorder.record(run, event, digest, 'append', NO_REPORTS), () => run);
      }
      if (event.kind !== 'started') this.end(run, event, digest);
      return run;
    });
  }

  /** Started again: nothing is hidden or reset; what follows tells whether this was a replay. */
  private mark(run: RunState, event: ReportedEvent): void {
    const { draft } = this;
    if (event.fields.model) draft.setRun(run, 'model', event.fields.model);
    const status = run.mark?.status ?? run.row.status;
    draft.setMark(run, { status, occurredAtMs: event.occurredAtMs, hasId: event.id !== null, replayed: [] });
  }

  /** To be called after the last event of a batch: runs that were started again, and have not ended again within it, are open. */
  finishBatch(memory: BatchMemory): void {
    for (const runNo of memory.marked) {
      const run = this.draft.runs.get(runNo);
      if (run?.mark && isAtRest(run.row.status)) this.changeStatus(run, RUN_STATUS.inProgress);
    }
  }

  private end(run: RunState, event: ReportedEvent, digest: string): void {
    const { draft } = this;
    const status = statusGivenBy(event.type)!;
    draft.setRun(run, 'ending_digest', digest);
    draft.setRun(run, 'ending', JSON.stringify(endingOf(event, status)));
    draft.setRun(run, 'error', event.error ?? (status === RUN_STATUS.error ? run.row.error : null));
    if (event.fields.model) draft.setRun(run, 'model', event.fields.model);
    this.recorder.merge(run, event, status);
    draft.setRunStatus(run, status);
    draft.noteStatus(run);
    draft.setMark(run, null);
    draft.addEvent({
      kind: 'status',
      type: status,
      run_no: run.row.run_no,
      step_index: run.latest?.step_index ?? null,
      data: event.error,
    });
  }

  /** A replay changes nothing; after a restart it is remembered, and a repeated end ends the run as before. */
  private replay(run: RunState, event: ReportedEvent, report: Checkpoint | undefined): void {
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

  /** Opens a run again that had ended, or ends it as it had ended: seen by all, but no news. */
  private changeStatus(run: RunState, status: string): void {
    const { draft } = this;
    if (run.row.status === status) return;
    draft.setRunStatus(run, status, false);
    draft.addEvent({ kind: 'status', type: status, run_no: run.row.run_no, step_index: null, data: null }, false);
    if (run.latest) draft.setLatest(run, draft.amendCheckpoint(run.latest, { status, rev: draft.row.last_seq }));
  }

  /** Kept, and shown once the thread has a run, without effect on any. */
  private applyNote(event: ReportedEvent, run: RunState | null, seenDigest: string): void {
    if (this.seen.has(seenDigest)) return;
    this.markSeen(seenDigest);
    this.draft.addEvent({
      kind: 'log',
      type: event.type,
      run_no: run?.row.run_no ?? null,
      step_index: event.fields.step_index ?? run?.latest?.step_index ?? null,
      data: event.dataText.orString(),
    });
  }
}

function supersededBy(decision: Decision, event: ReportedEvent, waiting: Checkpoint | null): SupersededReason {
  if (decision === 'end') return 'run_ended';
  if (decision === 'new-attempt') return 'new_attempt';
  return event.fields.step_index === waiting?.step_index ? 'replaced' : 'later_step';
}

function mayBeginNone(): DomainError {
  return new DomainError('forbidden', 'agent_not_allowed', 'The token may not start runs in this thread.');
}

function wordsOf({ kind, fields }: ReportedEvent): EventWords {
  return { kind, agentId: fields.agent_id };
}
