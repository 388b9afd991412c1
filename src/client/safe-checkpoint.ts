import type { EffectSummary } from './effect-summary.js';
import type { Checkpoint } from './report-data.js';

/** A tool call that changes the world, and what became of it. */
export interface LedgerEffect extends EffectSummary {
  args: unknown;
  result: unknown;
  error: unknown;
}

/** One change between `history` and `history_for_model`. */
export interface HistoryRepair {
  /** The message of `history` that the change is about; its length for what was appended. */
  index: number;
  /** `not_understood` is no change: the history is of no shape that the server knows, and is given as it is. */
  kind:
    | 'inserted_result'
    | 'replaced_result'
    | 'moved_result'
    | 'removed_result'
    | 'removed_call'
    | 'removed_reasoning'
    | 'removed_empty'
    | 'removed_message'
    | 'reordered_message'
    | 'inserted_message'
    | 'merged_message'
    | 'appended_note'
    | 'not_understood';
  call_id: string | null;
  /** A sentence for people. */
  detail: string;
}

/** A checkpoint to go on from after an interruption, and what became of its tool calls. */
export interface SafeCheckpoint extends Checkpoint {
  /** Effects of the agent in the thread that are not settled, and settled ones whose call has no result in `history`. */
  effects: LedgerEffect[];
  /** A copy of `history` that a provider accepts: every tool call has one result. `history` itself where `repairs` says `not_understood`. */
  history_for_model: unknown[];
  repairs: HistoryRepair[];
  /** Runs of the thread that wait for a person. */
  waiting: { trace_id: string; agent_id: string; step_index: number }[];
}
