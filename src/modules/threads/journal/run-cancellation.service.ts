import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { isAtRest, isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import { notBegun, runNotFound, threadNotFound } from '../threads.contract.js';
import { findRequestedRun } from '../bindings/run-matching.js';
import { openUnreportedRun } from './recording/unreported-run.js';
import { SUPERSEDED } from '../entities/checkpoint.entity.js';
import type { RunOrder } from '../entities/run-order.js';
import { attemptsOf, retryAfterReport } from '../entities/run-retry.js';
import { cancelledLaunchesOf, isCancelled } from './rules/run-facts.js';
import type { ThreadDraft } from './store/thread-draft.js';
import type { ThreadReader } from './store/thread-reader.js';
import { ThreadJournal, type UnitOfWork } from './thread-journal.service.js';
import { pendingCalls, type Ending, type RunState } from './rules/thread-state.js';

export type { RunOrder };

const JOB_BYTES = 2_000;
const CANCELLATION: Ending = {
  occurredAtMs: null,
  tokens_used: null,
  model: null,
  run_cost_usd: null,
  budget_usd: null,
  budget_warning: false,
  isCancellation: true,
};

type Facts = Pick<Ending, 'queuedAtMs' | 'cancelledWith'>;

interface CancellationOrder {
  threadId: string;
  traceId: string;
  order: RunOrder;
  queued: readonly QueuedLaunch[];
  retry: NotedRetry | null;
}

interface UnbegunLaunches {
  traceId: string;
  order: RunOrder;
  unbegun: readonly QueuedLaunch[];
  runs: readonly RunState[];
}

/** A run that its agent's process has accepted but not started: a new run, or one to resume after its own end. */
export interface QueuedLaunch {
  agentId: string;
  /** When the process accepted it, by its clock. The run's start reports the same time. */
  queuedAtMs: number;
  notedAtMs: number;
  /** A person asked to retry it after its end. */
  isRetry: boolean;
  /** The agents that the process's token is bound to; null for all. */
  boundTo: readonly string[] | null;
  /** Call this after the cancellation to tell the process. */
  cancelled(reason: string | null): Promise<void>;
}

/** Knows which runs are queued in their agents' processes. */
export interface RunQueues {
  /** All known queued launches of the run: several processes may each have one. */
  find(threadId: string, traceId: string): Promise<QueuedLaunch[]>;
}

/** A requested retry that the agent may not have taken yet. */
export interface NotedRetry {
  /** The thread's last change before it: a later end is the retry's. */
  sinceSeq: number;
  agentId: string | null;
}

export interface NotedRetries {
  find(threadId: string, traceId: string): Promise<NotedRetry | null>;
}

/** Runs of one agent in one thread that nobody will end any more. */
export interface LeftRuns {
  threadId: string;
  agentId: string;
  /** Only those that began before the run with this trace; null for all. */
  beforeTraceId: string | null;
  exceptTraceId: string | null;
  /** Only these; null for all. */
  traceIds?: readonly string[] | null;
  reason: string;
}

export interface CancelledRunView {
  threadId: string;
  traceId: string;
  agentId: string;
  cancelledAtMs: number;
}

/** Cancels runs for people. Of racing endings, the first under the thread's lock wins. */
@Injectable()
export class RunCancellationService {
  private queues: RunQueues | null = null;
  private retries: NotedRetries | null = null;

  constructor(private readonly journal: ThreadJournal) {}

  setQueues(queues: RunQueues): void {
    this.queues = queues;
  }

  setRetries(retries: NotedRetries): void {
    this.retries = retries;
  }

  /**
   * Cancels the run and its open sub-runs: their pending tool calls are superseded, and later reports of their programs no longer change
   * their status unless they restart the run. A cancelled run stays as it is. A queued run is cancelled before it begins: it appears in the
   * thread, and its start comes too late. A run that an agent was asked to retry is cancelled again, whatever its last end was.
   * @param order who cancels, and why
   * @throws DomainError `not_found`; `conflict` if the run has ended otherwise
   */
  async cancel(threadId: string, traceId: string, order: RunOrder): Promise<CancelledRunView> {
    // No id holds U+0000, and PostgreSQL rejects it as a value.
    if (threadId.includes('\0')) throw threadNotFound();
    if (traceId.includes('\0')) throw runNotFound();
    const queued = (await this.queues?.find(threadId, traceId)) ?? [];
    const retry = (await this.retries?.find(threadId, traceId)) ?? null;
    const { reason } = order;
    const cancellation = { threadId, traceId, order, queued, retry };
    const view = await this.journal.submit({
      name: 'cancel a run',
      threadIds: [threadId],
      bytes: JOB_BYTES + (reason?.length ?? 0),
      run: (unitOfWork) => this.cancelLocked(unitOfWork, cancellation),
    });
    for (const launch of queued) await launch.cancelled(reason);
    return view;
  }

  /** Cancels the open runs of an agent that moved on or disappeared without ending them. Does nothing if there are none. */
  cancelLeft(left: LeftRuns): Promise<void> {
    const run = (unitOfWork: UnitOfWork) => this.cancelLeftLocked(unitOfWork, left);
    return this.journal.submit({ name: 'cancel left runs', threadIds: [left.threadId], bytes: JOB_BYTES, run });
  }

  private async cancelLeftLocked(drafts: UnitOfWork, left: LeftRuns): Promise<void> {
    const { threadId, agentId, beforeTraceId, exceptTraceId, traceIds = null, reason } = left;
    const draft = drafts.find(threadId);
    if (!draft) return;
    const reader = drafts.readerOf(draft);
    const next = beforeTraceId === null ? [] : await reader.runsOf(beforeTraceId);
    const ofAgent = next.find(({ row }) => row.agent_id === agentId);
    const limit = beforeTraceId === null ? Infinity : (ofAgent?.row.run_no ?? 0);
    for (const run of await reader.openRunsOf(agentId)) {
      const { run_no, trace_id } = run.row;
      if (traceIds !== null && !traceIds.includes(trace_id)) continue;
      if (run_no < limit && trace_id !== exceptTraceId) end(draft, run, { by: null, through: null, reason });
    }
  }

  private async cancelLocked(
    drafts: UnitOfWork,
    { threadId, traceId, order, queued, retry }: CancellationOrder,
  ): Promise<CancelledRunView> {
    const draft = queued.length > 0 ? drafts.findOrCreate(threadId) : drafts.find(threadId);
    if (!draft) throw notBegun('thread_not_found', 'There is no such thread');
    const reader = drafts.readerOf(draft);
    const runs = await reader.runsOf(traceId);
    const unbegun = queued.filter((launch) => waits(launch, runs));
    if (unbegun.length > 0) {
      const run = await this.endUnbegun(reader, { traceId, order, unbegun, runs });
      return { threadId, traceId, agentId: run.row.agent_id, cancelledAtMs: run.row.updated_at };
    }
    if (runs.length === 0) throw runNotFound();
    const retried =
      retry &&
      findRequestedRun(
        runs.map(({ row }) => row),
        retry.agentId,
      );
    const isRetried = (run: RunState) => run.row.run_no === retried?.run_no && awaits(retry, run);
    const open = runs.filter((run) => !isEnded(run.row.status) || isRetried(run));
    const meant = open[0] ?? runs.find(isCancelled);
    if (!meant) throw hasEnded(runs[0]!.row.status);
    for (const run of await withThoseBelow(reader, open)) {
      end(draft, run, order, run.row.trace_id === traceId ? launchesOf(run, queued) : { cancelledWith: traceId });
    }
    return { threadId, traceId, agentId: meant.row.agent_id, cancelledAtMs: meant.row.updated_at };
  }

  /** Ends one run per agent for its queued launches. @returns the first one */
  private async endUnbegun(
    reader: ThreadReader,
    { traceId, order, unbegun, runs }: UnbegunLaunches,
  ): Promise<RunState> {
    const { draft } = reader;
    const ended: RunState[] = [];
    for (const launch of unbegun) {
      const { agentId } = launch;
      if (ended.some(({ row }) => row.agent_id === agentId)) continue;
      const known = runs.find(({ row }) => row.agent_id === agentId);
      const run = known ?? (await openUnreportedRun(reader, { traceId, ...launch }));
      const before = cancelledLaunchesOf(run);
      const launches = unbegun.filter((one) => one.agentId === agentId).map(({ queuedAtMs }) => queuedAtMs);
      if (!launches.every((queuedAtMs) => before.includes(queuedAtMs)))
        end(draft, run, order, { queuedAtMs: launches });
      ended.push(run);
    }
    return ended[0]!;
  }
}

/** The queued launches of a run that its process is about to resume: their start comes too late as well. */
function launchesOf({ row }: RunState, queued: readonly QueuedLaunch[]): Facts {
  const own = queued.filter(({ agentId }) => row.agent_id === agentId);
  return own.length > 0 ? { queuedAtMs: own.map(({ queuedAtMs }) => queuedAtMs) } : {};
}

async function withThoseBelow(reader: ThreadReader, runs: readonly RunState[]): Promise<readonly RunState[]> {
  if (runs.length === 0) return runs;
  return [...runs, ...(await reader.openRunsBelow(runs))];
}

/**
 * Whether the launch has not begun: the thread knows nothing of its run, or only what came before. An ended run is queued again only if a
 * person asked for a retry; a process killed before it noted the end also lists it, but has nothing left to do.
 */
function waits({ agentId, queuedAtMs, notedAtMs, isRetry }: QueuedLaunch, runs: readonly RunState[]): boolean {
  return runs.every((run) => {
    const { row } = run;
    if (row.agent_id !== agentId) return isEnded(row.status);
    if (cancelledLaunchesOf(run).includes(queuedAtMs)) return true;
    return (isEnded(row.status) ? isRetry : isAtRest(row.status)) && row.updated_at <= notedAtMs;
  });
}

function awaits(retry: NotedRetry | null, { latest }: RunState): boolean {
  return retry !== null && (latest?.rev ?? 0) <= retry.sinceSeq;
}

function end(draft: ThreadDraft, run: RunState, order: RunOrder, facts: Facts = {}): void {
  const { reason, by } = order;
  const said = { ...(reason === null ? {} : { reason }), ...(by === null ? {} : { by }) };
  const waiting = pendingCalls(run);
  if (run.latest) {
    const change = { status: RUN_STATUS.cancelled, rev: draft.nextSeq(), updated_at: draft.nowMs };
    const approval = waiting ? SUPERSEDED : run.latest.approval;
    draft.setLatest(run, draft.amendCheckpoint(run.latest, { ...change, approval }));
  }
  draft.setRun(run, 'retry', retryAfterReport(run.row.retry, false));
  const begunAtMs = run.mark?.occurredAtMs ?? run.row.attempt_occurred_at;
  draft.setRun(run, 'ending', JSON.stringify({ ...CANCELLATION, ...said, ...facts, begunAtMs }));
  draft.setRun(run, 'ending_digest', null);
  if (run.row.status === RUN_STATUS.cancelled) draft.facts.noteStatus();
  draft.setRun(run, 'updated_at', draft.nowMs);
  draft.setRunStatus(run, RUN_STATUS.cancelled);
  draft.setMark(run, null);
  draft.facts.noteCalls(run, waiting, 'run_cancelled');
  const step_index = run.latest?.step_index ?? null;
  const data = JSON.stringify({ ...order, attempt: attemptsOf(run.row) });
  draft.addEvent({ kind: 'status', type: RUN_STATUS.cancelled, run_no: run.row.run_no, step_index, data });
}

function hasEnded(status: string): DomainError {
  return new DomainError('conflict', 'run_ended', `The run has already ended with the status ${status}.`);
}
