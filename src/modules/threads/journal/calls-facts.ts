import { callsDigestOf } from '../../../common/digest.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { RunState } from './thread-state.js';

/** What is said of the waiting tool calls of a checkpoint. */
export function factOf(run: RunState, checkpoint: Checkpoint) {
  return { run: run.row, checkpoint, callsDigest: callsDigestOf(checkpoint.pending_tool_calls ?? '') };
}

/** Tool calls are the same while their run, attempt, step and exact text are. */
export function callsKey(row: Checkpoint): string {
  return `${row.run_no}:${row.attempt}:${row.step_index}:${callsDigestOf(row.pending_tool_calls ?? '')}`;
}
