/** A tool call that changes the world, as the API has it, without its arguments, result and error. */
export interface EffectSummary {
  thread_id: string;
  key: string;
  /** The run of the last claim. */
  trace_id: string;
  agent_id: string;
  tool: string;
  kind: 'write' | 'idempotent';
  call_id: string | null;
  state: 'started' | 'completed' | 'failed' | 'not_done';
  /** It was started, and nobody knows whether it happened. */
  in_doubt: boolean;
  /** How often it was claimed, from 1. */
  attempt: number;
  holder: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  started_at: string;
  settled_at: string | null;
  /** The result was too large to be kept. */
  result_omitted: boolean;
  decided_by: string | null;
  reason: string | null;
}
