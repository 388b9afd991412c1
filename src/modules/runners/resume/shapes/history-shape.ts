import type { ToolCallIndex } from '../tool-call-index.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';

/** The members of a message as exact JSON. */
export type Message = ReadonlyMap<string, Buffer>;

/** How a message fits a shape: only this shape has such messages, others have them too, or it is none of this shape. */
export type Fit = 'own' | 'shared' | 'none';

/** How an API or a framework writes histories, and what it asks of them. */
export interface HistoryShape {
  fit: (message: Message) => Fit;
  /** The calls with their results. */
  indexCalls: (history: readonly Buffer[]) => ToolCallIndex;
  /** Leaves out what says nothing and is refused for it. All is kept where absent. */
  tidy?: (history: readonly DraftMessage[], draft: HistoryDraft) => DraftMessage[];
  /** Writes the messages into the draft, with one result for each call. */
  repair: (history: readonly DraftMessage[], draft: HistoryDraft) => void;
  /** A message of the user, for a history whose last message is given. */
  note: (text: string, last: Buffer) => Buffer;
  /** What can only be seen once all messages are there. */
  finish?: (draft: HistoryDraft) => void;
}
