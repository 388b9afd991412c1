import type { ChannelMessage } from './channel-message.entity.js';

/** A question in a chat that a text there may answer. */
export type OpenQuestion = Pick<
  ChannelMessage,
  'id' | 'channel_id' | 'chat_id' | 'external_id' | 'thread_id' | 'payload'
>;

/** Of the `payload` of a question: what it asks about, and how many questions a text has to answer. */
export interface AskedPayload {
  approval: object;
  /** Absent where no text answers it. */
  asks?: number;
}

/** `group_key` of the questions in a chat that a text there may answer, until their outcome is told. */
export function answerKeyOf(chatId: string): string {
  return `answer:${chatId}`;
}
