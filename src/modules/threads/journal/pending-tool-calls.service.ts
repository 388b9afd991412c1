import { Injectable } from '@nestjs/common';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { callsDigestOf } from '../../../common/digest.js';
import type { UnitOfWork } from './store/unit-of-work.js';
import { pendingCalls } from './rules/thread-state.js';

/** Identifies tool calls, so that a decision cannot reach others. */
export interface PendingToolCalls {
  thread_id: string;
  run_no: number;
  attempt: number;
  step_index: number;
  digest: string;
}

/** The outcome of a decision, in the texts that agents and stream readers get. */
export interface CallsOutcome {
  status: string;
  /** JSON of `approval` in `latest`. */
  approval: string;
  /** JSON for the live stream. */
  record: string;
  type: string;
}

@Injectable()
export class PendingToolCallsService {
  /** Tells participants that people are reminded of these calls. Returns false if they no longer wait. */
  async remind(drafts: UnitOfWork, calls: PendingToolCalls, reminded: number): Promise<boolean> {
    const draft = drafts.find(calls.thread_id);
    if (!draft) return false;
    const run = await drafts.readerOf(draft).runByNumber(calls.run_no);
    const waiting = run && pendingCalls(run);
    if (!run || !waiting || !isSame(waiting, calls)) return false;
    draft.nextSeq(false);
    draft.facts.noteReminder(run, waiting, reminded);
    return true;
  }

  /** Returns false and changes nothing if these calls are no longer pending. */
  async decide(drafts: UnitOfWork, calls: PendingToolCalls, outcome: CallsOutcome): Promise<boolean> {
    const draft = drafts.find(calls.thread_id);
    if (!draft) return false;
    const run = await drafts.readerOf(draft).runByNumber(calls.run_no);
    const waiting = run && pendingCalls(run);
    if (!run || !waiting || !isSame(waiting, calls)) return false;
    const decided = draft.amendCheckpoint(waiting, {
      status: outcome.status,
      pending_tool_calls: null,
      approval: outcome.approval,
      rev: draft.nextSeq(),
      updated_at: draft.nowMs,
    });
    draft.facts.forgetOpened(decided.seq);
    draft.setLatest(run, decided);
    draft.setRunStatus(run, outcome.status);
    draft.noteProgress(run, decided.agent_id);
    const place = { run_no: run.row.run_no, step_index: decided.step_index };
    draft.addEvent({ kind: 'approval', type: outcome.type, data: outcome.record, ...place });
    draft.addEvent({ kind: 'status', type: outcome.status, data: null, ...place });
    return true;
  }
}

function isSame(waiting: Checkpoint, { attempt, step_index, digest }: PendingToolCalls): boolean {
  return (
    waiting.attempt === attempt &&
    waiting.step_index === step_index &&
    callsDigestOf(waiting.pending_tool_calls ?? '') === digest
  );
}
