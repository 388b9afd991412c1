/** How much attention an entry wants: `tool` marks tool calls and their results that did not fail. */
export const LOG_LEVELS = ['info', 'tool', 'warn', 'error'] as const;

/** What an entry is; `event` also stands for messages of a shape that nobody knows. */
export const LOG_KINDS = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system', 'event'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogKind = (typeof LOG_KINDS)[number];

/** One line of a thread's logs, in the words of the API. */
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
  /** Tokens of the message; on one entry of each message only, so that the entries can be summed. */
  tokens_in?: number;
  tokens_out?: number;
  /** That a person cancelled or retried the run, by whom and why; each only where it is known. */
  event?: 'run_cancelled' | 'run_retried';
  by?: string;
  reason?: string;
  /** Milliseconds from a tool call to its result. */
  duration_ms?: number;
}

/** Where a message or event came from: what its entries take over. */
export interface LogSource {
  ts: string;
  agent_id: string;
  trace_id: string;
  step_index: number;
  tokens_in?: number;
  tokens_out?: number;
  /** True when `ts` is not the message's own time but a stand-in; then no duration is computed from it. */
  is_ts_estimated?: boolean;
}
