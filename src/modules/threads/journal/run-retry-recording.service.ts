import { Injectable } from '@nestjs/common';
import { isAtRest, RUN_STATUS } from '../../../common/contract/run-status.js';
import type { RunOrder } from '../entities/run-order.js';
import { attemptsOf, retryOf } from '../entities/run-retry.js';
import type { RunState } from './rules/thread-state.js';
import type { ThreadDraft } from './store/thread-draft.js';
import { ThreadJournal, type UnitOfWork } from './thread-journal.service.js';

const JOB_BYTES = 2_000;

/** A run as it was when its agent was asked to retry it. */
export interface RunBeforeRetry {
  run_no: number;
  attempt: number;
  last_seq: number;
  /** When the run last changed its state, and when the thread last changed at all. */
  run_updated_at: number;
  updated_at: number;
}

@Injectable()
export class RunRetryRecordingService {
  constructor(private readonly journal: ThreadJournal) {}

  /**
   * Call this once the agent has taken the run: marks it as in progress in its next attempt, unless it has ended again since. Does nothing
   * if the run is gone.
   */
  record(threadId: string, before: RunBeforeRetry, order: RunOrder): Promise<void> {
    const bytes = JOB_BYTES + (order.reason?.length ?? 0);
    const run = (drafts: UnitOfWork) => this.recordLocked(drafts, threadId, before, order);
    return this.journal.submit({ name: 'record a retry', threadIds: [threadId], bytes, run });
  }

  private async recordLocked(
    drafts: UnitOfWork,
    threadId: string,
    before: RunBeforeRetry,
    order: RunOrder,
  ): Promise<void> {
    const draft = drafts.find(threadId);
    const run = draft && (await drafts.readerOf(draft).runByNumber(before.run_no));
    if (!draft || !run) return;
    const { last_seq: sinceSeq } = before;
    const hasOwnAttempt = run.row.attempt > before.attempt;
    const hasNews = hasOwnAttempt || (run.latest?.seq ?? 0) > sinceSeq;
    const hasEnded = isAtRest(run.row.status) && run.mark === null && (run.latest?.rev ?? 0) > sinceSeq;
    const { extraAttempts, pausedMs } = retryOf(run.row);
    const retry = {
      atMs: draft.nowMs,
      extraAttempts: extraAttempts + Number(!hasOwnAttempt),
      pausedMs: pausedMs + Math.max(0, draft.nowMs - before.run_updated_at),
      isOpen: !hasNews && !hasEnded,
    };
    draft.setRun(run, 'retry', JSON.stringify(retry));
    draft.addPause(Math.max(0, draft.nowMs - before.updated_at));
    const data = JSON.stringify({ ...order, attempt: attemptsOf(run.row) });
    const step_index = run.latest?.step_index ?? null;
    draft.addEvent({ kind: 'retry', type: 'retried', run_no: run.row.run_no, step_index, data });
    if (!hasEnded) reopen(draft, run);
  }
}

/** Acts like the run's start, which its program may report later or never: saved state stays, and late reports change nothing. */
function reopen(draft: ThreadDraft, run: RunState): void {
  const { status } = run.row;
  if (!isAtRest(status)) return;
  if (!run.mark) draft.setMark(run, { status, occurredAtMs: draft.nowMs, hasId: true, replayed: [] });
  draft.setRunStatus(run, RUN_STATUS.inProgress);
  const event = { type: RUN_STATUS.inProgress, run_no: run.row.run_no, step_index: null, data: null };
  draft.addEvent({ kind: 'status', ...event });
  if (!run.latest) return;
  draft.setLatest(run, draft.amendCheckpoint(run.latest, { status: RUN_STATUS.inProgress, rev: draft.row.last_seq }));
}
