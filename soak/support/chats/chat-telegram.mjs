import { Telegram } from '../../../bench/chats/telegram.mjs';
import { UpdateQueue } from './update-queue.mjs';

/** A Telegram that counts how often it took each text. */
export class ChatTelegram extends Telegram {
  /** @type {Map<string, number>} by text */
  sent = new Map();
  /** Chats whose messages are taken and never acknowledged. @type {Set<number>} */
  silentChats = new Set();
  /** Updates of polling bots, by token. @type {Map<string, UpdateQueue>} */
  queues = new Map();

  /** @param {string} token @returns {UpdateQueue} */
  queueOf(token) {
    const queue = this.queues.get(token) ?? new UpdateQueue();
    this.queues.set(token, queue);
    return queue;
  }

  updates(token, question, isGone) {
    return this.queueOf(token).fetch(question, isGone);
  }

  take(chatId, text) {
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    const answer = super.take(chatId, text);
    return this.silentChats.has(chatId) ? null : answer;
  }
}
