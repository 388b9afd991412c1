import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import { threadNotFound } from '../threads.contract.js';
import { SUPERSEDED } from './checkpoint-recorder.js';
import { isCancelled } from './run-facts.js';
import type { StoredRows } from './stored-rows.js';
import type { ThreadDraft } from './thread-draft.js';
import { ThreadJournal, type UnitOfWork } from './thread-journal.service.js';
import { pendingCalls, type Ending, type RunState } from './thread-state.js';

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

interface CancellationOrder {
  threadId: string;
  traceId: string;
  reason: string | null;
}

/** Runs of one agent in one thread that nobody will end any more. */
export interface LeftRuns {
  threadId: string;
  agentId: string;
  /** Only those that began before the run with this trace; null for all. */
  beforeTraceId: string | null;
  /** This one stays. */
  exceptTraceId: string | null;
  reason: string;
}

/** A run that was cancelled. */
export interface CancelledRunView {
  threadId: string;
  traceId: string;
  agentId: string;
  cancelledAtMs: number;
}

/** Cancels runs: a person wants them to stop. Of racing endings the first under the thread's lock wins. */
@Injectable()
export class RunCancellationService {
  constructor(private readonly journal: ThreadJournal) {}

  /**
   * Cancels the run and the open runs below it: their waiting tool calls are superseded, and what their programs report from now on
   * changes their status no more, unless it starts them again. A run that is cancelled already stays as it is.
   * @param reason why; null where nobody said
   * @throws DomainError `not_found`; `conflict` for a run that has ended otherwise
   */
  cancel(threadId: string, traceId: string, reason: string | null = null): Promise<CancelledRunView> {
    // No id holds U+0000, which PostgreSQL refuses as a value.
    if (threadId.includes('\0')) return Promise.reject(threadNotFound());
    if (traceId.includes('\0')) return Promise.reject(runNotFound());
    const work = (drafts: UnitOfWork) => this.cancelLocked(drafts, { threadId, traceId, reason });
    const bytes = JOB_BYTES + (reason?.length ?? 0);
    return this.journal.submit({ threadIds: [threadId], bytes, work });
  }

  /** Cancels the open runs of an agent that went on, or away, without a word on how they ended. Where there are none, nothing happens. */
  cancelLeft(left: LeftRuns): Promise<void> {
    const work = (drafts: UnitOfWork) => this.cancelLeftLocked(drafts, left);
    return this.journal.submit({ threadIds: [left.threadId], bytes: JOB_BYTES, work });
  }

  private async cancelLeftLocked(drafts: UnitOfWork, left: LeftRuns): Promise<void> {
    const { threadId, agentId, beforeTraceId, exceptTraceId, reason } = left;
    const draft = drafts.find(threadId);
    if (!draft) return;
    const stored = drafts.storedRowsOf(draft);
    stored.forgetAnswers();
    const next = beforeTraceId === null ? [] : await stored.find(() => stored.runsOf(beforeTraceId));
    const ofAgent = next.find(({ row }) => row.agent_id === agentId);
    const limit = beforeTraceId === null ? Infinity : (ofAgent?.row.run_no ?? 0);
    for (const run of await stored.find(() => stored.openRunsOf(agentId))) {
      if (run.row.run_no < limit && run.row.trace_id !== exceptTraceId) end(draft, run, reason);
    }
    stored.forgetAnswers();
  }

  private async cancelLocked(
    drafts: UnitOfWork,
    { threadId, traceId, reason }: CancellationOrder,
  ): Promise<CancelledRunView> {
    const draft = drafts.find(threadId);
    if (!draft) throw notBegun('thread_not_found', 'There is no such thread');
    const stored = drafts.storedRowsOf(draft);
    const runs = await stored.find(() => stored.runsOf(traceId));
    if (runs.length === 0) throw runNotFound();
    const open = runs.filter(({ row }) => !isEnded(row.status));
    const meant = open[0] ?? runs.find(isCancelled);
    if (!meant) throw hasEnded(runs[0]!.row.status);
    for (const run of await withThoseBelow(stored, open)) end(draft, run, reason);
    stored.forgetAnswers();
    return { threadId, traceId, agentId: meant.row.agent_id, cancelledAtMs: meant.row.updated_at };
  }
}

async function withThoseBelow(stored: StoredRows, runs: readonly RunState[]): Promise<readonly RunState[]> {
  if (runs.length === 0) return runs;
  stored.forgetAnswers();
  return [...runs, ...(await stored.find(() => stored.openRunsBelow(runs)))];
}

function end(draft: ThreadDraft, run: RunState, reason: string | null): void {
  const said = reason === null ? {} : { reason };
  const waiting = pendingCalls(run);
  if (run.latest) {
    const change = { status: RUN_STATUS.cancelled, rev: draft.nextSeq(), updated_at: draft.nowMs };
    const approval = waiting ? SUPERSEDED : run.latest.approval;
    draft.setLatest(run, draft.amendCheckpoint(run.latest, { ...change, approval }));
  }
  draft.setRun(run, 'ending', JSON.stringify({ ...CANCELLATION, ...said }));
  draft.setRun(run, 'ending_digest', null);
  draft.setRunStatus(run, RUN_STATUS.cancelled);
  draft.setMark(run, null);
  draft.noteCalls(run, waiting, 'run_cancelled');
  const step_index = run.latest?.step_index ?? null;
  const data = reason === null ? null : JSON.stringify(said);
  draft.addEvent({ kind: 'status', type: RUN_STATUS.cancelled, run_no: run.row.run_no, step_index, data });
}

/** Also for a run that was asked for and has not begun: the server hears of it with its first report. */
export function runNotFound(): DomainError {
  return notBegun('run_not_found', 'The thread has no such run');
}

function notBegun(code: string, what: string): DomainError {
  return new DomainError('not_found', code, `${what}. A run is known once its agent has reported its start.`);
}

function hasEnded(status: string): DomainError {
  return new DomainError('conflict', 'run_ended', `The run has already ended with the status ${status}.`);
}
