/** Kinds of entries that are only text. */
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
  /** The arguments as the model wrote them if the message has them as text; otherwise compact JSON. */
  arguments: string;
}

export interface ToolResultDraft {
  kind: 'tool_result';
  /** Ids of the calls it may answer; empty if the shape has no ids. */
  callIds: string[];
  /** The name in the result itself. */
  name?: string;
  isError: boolean;
  message: string;
}

/** A message's log entry, before it gets its time and run. */
export type LogDraft = ProseDraft | ToolCallDraft | ToolResultDraft;
