import type { ToolCallIndex } from '../tool-call-index.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';

/** The members of a message as exact JSON. */
export type Message = ReadonlyMap<string, Buffer>;

/** How a message fits a shape: specific to it, shared with others, or not at all. */
export type Fit = 'own' | 'shared' | 'none';

/** How an API or a framework writes histories, and what it requires of them. */
export interface HistoryShape {
  fit: (message: Message) => Fit;
  indexCalls: (history: readonly Buffer[]) => ToolCallIndex;
  /** Removes empty content that the API refuses. Absent if it refuses none. */
  tidy?: (history: readonly DraftMessage[], draft: HistoryDraft) => DraftMessage[];
  /** Writes the messages into the draft, with one result per call. */
  repair: (history: readonly DraftMessage[], draft: HistoryDraft) => void;
  /** A user message, in the form of the given last message. */
  note: (text: string, last: Buffer) => Buffer;
  /** Runs after all messages are there. */
  finish?: (draft: HistoryDraft) => void;
}
