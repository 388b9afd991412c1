import { Telegram } from '../../../bench/chats/telegram.mjs';

/** Knows how often each text was taken. */
export class ChatTelegram extends Telegram {
  /** @type {Map<string, number>} by text */
  sent = new Map();
  /** Chats whose messages are taken and never acknowledged. @type {Set<number>} */
  silentChats = new Set();

  take(chatId, text) {
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    const answer = super.take(chatId, text);
    return this.silentChats.has(chatId) ? null : answer;
  }
}
