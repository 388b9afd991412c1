/** How much attention an entry needs: `tool` marks tool calls and results that did not fail. */
export const LOG_LEVELS = ['info', 'tool', 'warn', 'error'] as const;

/** What an entry is; `event` also stands for messages of unknown shape. */
export const LOG_KINDS = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system', 'event'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogKind = (typeof LOG_KINDS)[number];

/** One line of a thread's logs, with the API's names. */
export interface LogEntry {
  /** ISO 8601, UTC, as reported with the message. */
  ts: string;
  level: LogLevel;
  kind: LogKind;
  message: string;
  agent_id: string;
  trace_id: string;
  step_index: number;
  /** On tool calls, and on the results of calls whose name is known. */
  tool_name?: string;
  /** Tokens of the message; on only one of its entries, so that they can be summed. */
  tokens_in?: number;
  tokens_out?: number;
  /** A person's cancellation or retry of the run, with who and why if known. */
  event?: 'run_cancelled' | 'run_retried';
  by?: string;
  reason?: string;
  /** Milliseconds from a tool call to its result. */
  duration_ms?: number;
}

/** Where a message or event came from; copied into its entries. */
export interface LogSource {
  ts: string;
  agent_id: string;
  trace_id: string;
  step_index: number;
  tokens_in?: number;
  tokens_out?: number;
  /** True if `ts` is not the message's own time; then no duration is computed from it. */
  is_ts_estimated?: boolean;
}
