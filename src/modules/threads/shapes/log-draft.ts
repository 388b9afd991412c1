/** Kinds of entries that are nothing but text. */
export type ProseKind = 'user' | 'assistant' | 'thinking' | 'system' | 'event';

export interface ProseDraft {
  kind: ProseKind;
  level: 'info' | 'warn';
  message: string;
}

export interface ToolCallDraft {
  kind: 'tool_call';
  id?: string;
  name?: string;
  /** The arguments as the model wrote them, where the message has them as text; compact JSON otherwise. */
  arguments: string;
}

export interface ToolResultDraft {
  kind: 'tool_result';
  /** Ids of the calls that it may answer; empty if the shape has no ids. */
  callIds: string[];
  /** The name that the result itself gives. */
  name?: string;
  isError: boolean;
  message: string;
}

/** A log entry of one message, still without its time and run. */
export type LogDraft = ProseDraft | ToolCallDraft | ToolResultDraft;
