import type { LongText } from '../../../common/long-text.js';
import type { TextList } from '../../../common/text-list.js';

/** What an event does to its run: see `run-rules.ts`. A note changes no state. */
export type EventKind = 'started' | 'checkpoint' | 'ending' | 'idle' | 'note';

/** The fields of the contract that an event may carry; null stands for absent. */
export interface ReportedFields {
  agent_id: string | null;
  parent_trace_id: string | null;
  step_index: number | null;
  status: string | null;
  model: string | null;
  tokens_used: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  turn_start_history_len: number | null;
  run_cost_usd: number | null;
  budget_usd: number | null;
  budget_warning: boolean | null;
}

/** A valid event of a batch, its opaque parts as exact text. */
export interface ReportedEvent {
  type: string;
  kind: EventKind;
  id: string | null;
  sequenceNum: number | null;
  occurredAtMs: number | null;
  threadId: string;
  traceId: string | null;
  fields: ReportedFields;
  history: TextList;
  historyMeta: TextList;
  /** Exact JSON of a non-empty array, else null. */
  pendingToolCalls: string | null;
  /** Exact JSON, else null. */
  error: string | null;
  /** Members that the contract does not know. */
  extra: readonly ExtraMember[];
  /** Exact text of the event's data without the elements of its two lists. */
  dataText: LongText;
}

/** One member of an object, name and value as exact JSON. */
export interface ExtraMember {
  name: string;
  value: string | LongText;
}

/** The status that each event type sets, for the types that end a run or let it rest. */
export const STATUS_OF_TYPE: Readonly<Record<string, string>> = {
  thread_completed: 'completed',
  thread_error: 'error',
  thread_budget_exceeded: 'budget_exceeded',
  thread_idle: 'idle',
  workflow_completed: 'completed',
  workflow_failed: 'error',
  team_completed: 'completed',
  team_failed: 'error',
};

/** Whether an ending has set this status, or one that lets the run rest. */
export function isAtRest(status: string): boolean {
  return ENDED.has(status) || status === 'idle';
}

const ENDED = new Set(['completed', 'error', 'budget_exceeded']);

/** Whether a run with this status has ended. */
export function isEnded(status: string): boolean {
  return ENDED.has(status);
}
