import type { Reporter } from '../../bindings/reporter.js';
import { UNKNOWN_AGENT } from '../../bindings/run-matching.js';
import { SUPERSEDED, type Checkpoint } from '../../entities/checkpoint.entity.js';
import { retryAfterReport } from '../../entities/run-retry.js';
import { HISTORY, HISTORY_META } from '../../entities/message.entity.js';
import type { ReportedEvent, SupersededReason } from '../../threads.contract.js';
import { copiedLists, type ListName } from '../../message-log/continued-lists.js';
import { amendedExtra } from '../rules/extra-members.js';
import { initialRow, keepDecision, reportedRow, takeOverEnding } from './checkpoint-rows.js';
import { ListMapper, type ListPlan } from '../lists/list-mapper.js';
import { isEnded, RUN_STATUS } from '../../../../common/contract/run-status.js';
import type { RunStandings } from './run-standings.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { ThreadReader } from '../store/thread-reader.js';
import {
  highestStep,
  lastPlaceOf,
  NO_LISTS,
  pendingCalls,
  type RunList,
  type RunLists,
  type RunState,
  UNKNOWN_LIST,
} from '../rules/thread-state.js';
import type { WholeReport } from '../lists/delta-resolver.js';

type Placement = 'append' | 'place' | 'new-attempt' | 'belated';

export type OpeningEvent = Pick<ReportedEvent, 'kind' | 'fields' | 'occurredAtMs'>;

export interface Opening {
  readonly isSubAgent: boolean;
  readonly lists: RunLists;
  readonly standing: number;
  /** Earlier runs of its agent whose pending tool calls it supersedes. */
  readonly waiting: readonly RunState[];
  /** It runs beside the thread's current run: it makes no progress and does not raise its agent's standing. */
  readonly isAside?: boolean;
}

export interface PlannedCheckpoint {
  readonly event: ReportedEvent;
  readonly digests: Pick<Checkpoint, 'digest' | 'list_digests'>;
  /** Earlier reports of its step, from all attempts. */
  readonly reports: readonly Checkpoint[];
  /** The checkpoints that a new attempt takes over, and the last lists among them. */
  readonly replayed: readonly Checkpoint[];
  readonly takenOver: RunLists;
  readonly history: ListPlan;
  readonly meta: ListPlan;
}

/** Opens runs and writes checkpoints into a thread draft. `plan...` reads and changes nothing; the other methods read nothing. */
export class CheckpointRecorder {
  private readonly mapper: ListMapper;

  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
    private readonly standings: RunStandings,
    private readonly reporter: Reporter,
  ) {
    this.mapper = new ListMapper(draft, reader);
  }

  /**
   * A new top-level run carries forward its agent's last lists, so that an agent which dies right after its start still finds its memory. A
   * sub-agent carries nothing.
   */
  async planRun({ fields }: OpeningEvent): Promise<Opening> {
    const { draft, reader, standings, reporter } = this;
    const agentId = fields.agent_id ?? UNKNOWN_AGENT;
    const parent = fields.parent_trace_id;
    const isSubAgent = parent !== null || standings.isAnotherAgentAtWork(agentId);
    const isGuest = isSubAgent && (reporter.isBound || parent === null || (await reader.runsOf(parent)).length > 0);
    const lists = reader.listsOfAgent(agentId, reporter.isBound);
    return {
      isSubAgent,
      lists: lists instanceof Promise ? await lists : lists,
      standing: standings.ofNewRun(isGuest),
      waiting: isSubAgent || draft.row.pending_approvals === 0 ? [] : await reader.waitingRunsOf(agentId),
    };
  }

  async planLists(lists: WholeReport, before: RunLists): Promise<Pick<PlannedCheckpoint, 'history' | 'meta'>> {
    const { history, historyMeta, historyBefore, metaBefore, bases } = lists;
    const [base, metaBase] = [bases?.history ?? before.history, bases?.meta ?? before.meta];
    return {
      history: await this.mapper.plan(HISTORY, history, base, historyBefore === undefined),
      meta: await this.mapper.plan(HISTORY_META, historyMeta, metaBase, metaBefore === undefined),
    };
  }

  /** Adds an initial row unless the first event is a checkpoint. A sub-agent's start is not progress yet. */
  openRun(event: OpeningEvent, traceId: string, opening: Opening): RunState {
    const run = newRun(this.draft, event, traceId, { isSubAgent: opening.isSubAgent, by: this.reporter.binding });
    this.draft.addRun(run);
    for (const earlier of opening.waiting) this.supersede(earlier);
    if (!opening.isAside) this.draft.raiseStanding(run, opening.standing);
    if (event.kind !== 'checkpoint') this.addInitialRow(run, opening);
    return run;
  }

  record(run: RunState, decision: Placement, planned: PlannedCheckpoint): void {
    const { event, reports, digests } = planned;
    if (decision === 'new-attempt') this.openAttempt(run, planned);
    if (decision !== 'belated') {
      this.draft.setRun(run, 'retry', retryAfterReport(run.row.retry, decision === 'new-attempt'));
    }
    const lists = { history: this.mapper.write(planned.history), meta: this.mapper.write(planned.meta) };
    const bases = { history: planned.history.base, meta: planned.meta.base };
    const step = event.fields.step_index ?? highestStep(run) + 1;
    const previous = decision === 'append' ? null : this.currentAt(run, step, reports);
    const row = reportedRow(this.draft, run, event, lists, bases);
    row.step_index = step;
    row.digest = digests.digest;
    row.list_digests = digests.list_digests;
    this.nameParent(run, event.fields.parent_trace_id);
    this.draft.setRun(run, 'reported_by', this.reporter.binding);
    if (decision === 'place' || decision === 'belated') keepDecision(row, reports);
    if (decision === 'belated') takeOverEnding(row, run);
    const retired = this.retire(run, previous);
    this.draft.addCheckpoint(row);
    this.draft.agent(row.agent_id, run.row.run_no);
    const hasEnded = decision === 'belated' || isEnded(row.status);
    if (step < highestStep(run)) {
      forgetLastLists(run, row, retired);
      return this.noteTooLate(run, row, hasEnded ? 'run_ended' : 'later_step');
    }
    if (hasEnded) this.noteTooLate(run, row, 'run_ended');
    noteLastLists(run, row, lists, retired);
    if (decision === 'belated') this.becomeLatest(run, row);
    else this.advance(run, row);
  }

  private addInitialRow(run: RunState, { lists, isAside = false }: Opening): void {
    const { draft } = this;
    const { is_sub_agent: isSubAgent, agent_id: agentId } = run.row;
    const initial = initialRow(draft, run, isSubAgent ? NO_LISTS : lists);
    draft.addCheckpoint(initial);
    if (initial.history !== '') run.history = { ...lists.history, row: initial.seq };
    if (initial.history_meta !== '') run.meta = { ...lists.meta, row: initial.seq };
    run.lastSaid = lastPlaceOf(run.history);
    draft.setLatest(run, initial);
    if (isAside) return;
    if (!isSubAgent || this.standings.isFirstProgress()) draft.noteProgress(run, agentId);
  }

  merge(run: RunState, event: ReportedEvent, status: string): void {
    const { latest } = run;
    if (!latest) return;
    const { tokens_used, model, run_cost_usd, budget_usd } = event.fields;
    const amended = this.draft.amendCheckpoint(latest, {
      status,
      tokens_used: tokens_used ?? latest.tokens_used,
      model: model ?? latest.model,
      run_cost_usd: run_cost_usd ?? latest.run_cost_usd,
      budget_usd: budget_usd ?? latest.budget_usd,
      budget_warning: latest.budget_warning || status === RUN_STATUS.budgetExceeded,
      error: event.error ?? latest.error,
      approval: isEnded(status) && pendingCalls(run) ? SUPERSEDED : latest.approval,
      extra: amendedExtra(latest.extra, event.extra),
      rev: this.draft.nextSeq(),
      updated_at: this.draft.nowMs,
    });
    this.draft.addTotals(
      (tokens_used ?? latest.tokens_used) - latest.tokens_used,
      (run_cost_usd ?? latest.run_cost_usd) - latest.run_cost_usd,
    );
    this.draft.setLatest(run, amended);
  }

  private supersede(earlier: RunState): void {
    const { draft } = this;
    const waiting = pendingCalls(earlier);
    if (!waiting) return;
    const change = { approval: SUPERSEDED, rev: draft.nextSeq(), updated_at: draft.nowMs };
    draft.setLatest(earlier, draft.amendCheckpoint(waiting, change));
    draft.facts.noteCalls(earlier, waiting, 'new_run');
  }

  /** Tool calls that arrive after their run has moved on or ended are shown, but nobody can decide on them. */
  private noteTooLate(run: RunState, row: Checkpoint, reason: SupersededReason): void {
    if (row.pending_tool_calls === null) return;
    row.approval = SUPERSEDED;
    this.draft.facts.noteLateCalls(run, row, reason);
  }

  /** A bound token may name a run's parent unless an unbound token has named one. */
  private nameParent(run: RunState, parent: string | null): void {
    const { row } = run;
    const isNamedForAll = row.parent_trace_id !== null && row.parent_by === null;
    if (!parent || (this.reporter.isBound && isNamedForAll)) return;
    this.draft.setRun(run, 'parent_trace_id', parent);
    this.draft.setRun(run, 'parent_by', this.reporter.binding);
  }

  private currentAt(run: RunState, step: number, reports: readonly Checkpoint[]): Checkpoint | null {
    const candidates = [...reports, ...this.draft.newCheckpoints];
    const { run_no, attempt } = run.row;
    const isThere = (row: Checkpoint) =>
      row.is_current && row.run_no === run_no && row.attempt === attempt && row.step_index === step && !row.is_initial;
    return candidates.find(isThere) ?? null;
  }

  /** Hides the initial row and the earlier report of the same step. Both stay stored. Returns them. */
  private retire(run: RunState, previous: Checkpoint | null): Checkpoint[] {
    const retired = [run.latest?.is_initial ? run.latest : null, previous].filter((row) => row !== null);
    for (const row of retired) this.draft.amendCheckpoint(row, { is_current: false, rev: this.draft.row.last_seq });
    return retired;
  }

  private advance(run: RunState, row: Checkpoint): void {
    const { draft } = this;
    draft.setRun(run, 'error', null);
    draft.setRunStatus(run, row.status);
    if (run.mark) draft.setMark(run, { ...run.mark, status: row.status });
    this.becomeLatest(run, row);
    draft.noteProgress(run, row.agent_id);
  }

  private becomeLatest(run: RunState, row: Checkpoint): void {
    const { draft } = this;
    const before = run.latest && run.latest.attempt === row.attempt ? run.latest : null;
    draft.addTotals(row.tokens_used - (before?.tokens_used ?? 0), row.run_cost_usd - (before?.run_cost_usd ?? 0));
    draft.setLatest(run, row);
  }

  /** Opens the next attempt, which takes over the steps replayed since the restart. */
  private openAttempt(run: RunState, { event, replayed, takenOver: { history, meta } }: PlannedCheckpoint): void {
    const { draft } = this;
    draft.sums.close(run, draft.known);
    draft.setRun(run, 'attempt', run.row.attempt + 1);
    draft.setRun(run, 'attempt_started_at', draft.nowMs);
    const occurredAt = run.mark?.occurredAtMs ?? event.occurredAtMs ?? run.row.attempt_occurred_at;
    draft.setRun(run, 'attempt_occurred_at', occurredAt);
    draft.setMark(run, null);
    draft.countPending(run, () => (run.latest = null));
    for (const row of [...replayed].sort((a, b) => a.step_index - b.step_index)) {
      const { seq } = this.take(run, row);
      if (row.history !== '') run.history = { ...history, row: seq };
      if (row.history_meta !== '') run.meta = { ...meta, row: seq };
    }
    if (history.count > 0) run.lastSaid = lastPlaceOf(history);
  }

  private take(run: RunState, row: Checkpoint): Checkpoint {
    const seq = this.draft.nextSeq();
    const taken = { ...row, ...copiedLists(row), seq, rev: seq, attempt: run.row.attempt, is_current: true };
    this.draft.addCheckpoint(taken);
    this.advance(run, taken);
    return taken;
  }
}

/** @param by the binding of the token that begins the run; null for an unbound token */
function newRun(
  { row, nowMs }: ThreadDraft,
  { fields, occurredAtMs }: OpeningEvent,
  traceId: string,
  { isSubAgent, by }: { isSubAgent: boolean; by: string | null },
): RunState {
  row.run_count += 1;
  return {
    row: {
      thread_pk: row.pk,
      run_no: row.run_count,
      trace_id: traceId,
      parent_trace_id: fields.parent_trace_id,
      parent_by: by,
      began_by: by,
      reported_by: by,
      agent_id: fields.agent_id ?? UNKNOWN_AGENT,
      is_sub_agent: isSubAgent,
      model: fields.model ?? '',
      status: RUN_STATUS.inProgress,
      attempt: 1,
      attempt_started_at: null,
      attempt_occurred_at: occurredAtMs,
      ending_digest: null,
      ending: null,
      mark: null,
      retry: null,
      error: null,
      started_at: nowMs,
      updated_at: nowMs,
    },
    mark: null,
    latest: null,
    highestStepEver: -1,
    lastSaid: null,
    ...NO_LISTS,
  };
}

/**
 * A report at the highest step has the last lists of its run, unless they are empty.
 * @param retired the rows it replaces; if they had lists, only the database knows the previous ones
 */
function noteLastLists(run: RunState, row: Checkpoint, lists: RunLists, retired: readonly Checkpoint[]): void {
  const kept = (list: ListName, known: RunList) => (retired.some((one) => one[list] !== '') ? UNKNOWN_LIST : known);
  run.history = row.history === '' ? kept('history', run.history) : { ...lists.history, row: row.seq };
  run.meta = row.history_meta === '' ? kept('history_meta', run.meta) : { ...lists.meta, row: row.seq };
  if (row.history !== '') run.lastSaid = lastPlaceOf(run.history);
}

/**
 * A report below the highest step may have or replace the last lists if later steps have none. Only the database can tell then.
 * @param retired the rows it replaces
 */
function forgetLastLists(run: RunState, row: Checkpoint, retired: readonly Checkpoint[]): void {
  const isThere = (list: ListName) => row[list] !== '' || retired.some((one) => one[list] !== '');
  if (run.latest?.history === '' && isThere('history')) run.history = UNKNOWN_LIST;
  if (run.latest?.history_meta === '' && isThere('history_meta')) run.meta = UNKNOWN_LIST;
  if (run.latest?.history === '' && row.history !== '') run.lastSaid = undefined;
}
