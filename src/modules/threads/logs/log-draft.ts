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
  /** Ids of the calls that it may answer; empty where the shape has no ids. */
  callIds: string[];
  /** The name that the result itself gives. */
  name?: string;
  isError: boolean;
  message: string;
}

/** What one message says, before it is known where and when it was said. */
export type LogDraft = ProseDraft | ToolCallDraft | ToolResultDraft;
