import type { ChannelMessage } from './channel-message.entity.js';

/** A question in a chat that a text there may answer. */
export type OpenQuestion = Pick<
  ChannelMessage,
  'id' | 'channel_id' | 'chat_id' | 'external_id' | 'thread_id' | 'payload'
>;

/** Part of a question's `payload`: what it asks about, and how many questions a text has to answer. */
export interface AskedPayload {
  approval: object;
  /** Absent if no text answers it. */
  asks?: number;
}

/** The `group_key` of questions in a chat that a text there may answer, until the outcome is sent. */
export function answerKeyOf(chatId: string): string {
  return `answer:${chatId}`;
}
