import type { components } from './api/openapi.gen.js';
import type { SentFields } from '../common/contract/checkpoint-fields.js';
import type { EffectSummary } from './effect-call.js';

/** The run's fields in every report. `agent_id` defaults to the client's own. */
export interface RunIds {
  /** 1 to 512 characters. */
  thread_id: string;
  /** Identifies the run. */
  trace_id: string;
  /** The parent run; null or absent for none. */
  parent_trace_id?: string | null;
  agent_id?: string;
}

/** Metadata of a message, at the same position as the message in `history`. */
export interface MessageMeta {
  /** ISO 8601 in UTC with milliseconds. */
  ts: string;
  /** Only for messages of a model. */
  tokens_in?: number;
  tokens_out?: number;
}

/** A snapshot of a run. Omitted fields count as 0, empty or `in_progress`; the server stores and returns unknown members. */
export interface CheckpointData extends RunIds, Partial<SentFields> {
  /** From 0; absent for the next one. Reporting a step again replaces it. */
  step_index?: number;
  status?: string;
  /** The conversation so far, in any shape. */
  history: readonly unknown[];
  history_meta?: readonly MessageMeta[];
  [member: string]: unknown;
}

/** Fields that may accompany appended messages. */
export interface AppendData extends Partial<SentFields> {
  /** Absent for the next one. */
  step_index?: number;
  status?: string;
  /** Metadata of the new messages. */
  history_meta?: readonly MessageMeta[];
  [member: string]: unknown;
}

/** Fields that a run's end may set in its latest checkpoint. */
export interface EndData
  extends RunIds, Partial<Pick<SentFields, 'tokens_used' | 'model' | 'run_cost_usd' | 'budget_usd'>> {}

/** A checkpoint as the API returns it, with the unknown members of its report. */
export interface Checkpoint extends Required<RunIds>, SentFields {
  step_index: number;
  status: string;
  history: unknown[];
  history_meta: MessageMeta[];
  pending_tool_calls: unknown[];
  /** ISO 8601 in UTC with milliseconds. */
  updated_at: string;
  /** The error of `thread_error`; otherwise null. */
  error: unknown;
  /** The decision on its tool calls; null if there is none yet. */
  approval: ApprovalOutcome | null;
  [member: string]: unknown;
}

/** The outcome for the tool calls of a checkpoint. */
export interface ApprovalOutcome {
  status: string;
  [member: string]: unknown;
}

/** A tool call with side effects, and its outcome. */
export interface LedgerEffect extends EffectSummary {
  args: unknown;
  result: unknown;
  error: unknown;
}

/** One change between `history` and `history_for_model`. */
export type HistoryRepair = components['schemas']['RepairDto'];

/** A checkpoint to continue from after an interruption, with the outcomes of its tool calls. */
export interface SafeCheckpoint extends Checkpoint {
  /** The agent's unsettled effects in the thread, and settled ones whose call has no result in `history`. */
  effects: LedgerEffect[];
  /** A copy of `history` that providers accept: each tool call has one result. Equals `history` if `repairs` says `not_understood`. */
  history_for_model: unknown[];
  repairs: HistoryRepair[];
  /** Runs of the thread that wait for a person. */
  waiting: { trace_id: string; agent_id: string; step_index: number }[];
}
