import { setTimeout as pause } from 'node:timers/promises';
import { answerTo } from '../../../bench/chats/agent.mjs';
import { messageUpdate } from '../../../bench/chats/message-update.mjs';
import { FaultList } from '../../../bench/generator/fault-list.mjs';
import { summarise } from '../../../bench/generator/latencies.mjs';
import { until } from '../until.mjs';

const RECEIVER = '/v1/channels/webhook/telegram';
const AGAIN_MS = 100;

/**
 * People who keep writing: each the next message a while after the previous answer. Telegram delivers for them, and redelivers what was not
 * acknowledged.
 */
export class People {
  /** Messages written so far, by chat. @type {Map<number, number>} */
  written = new Map();
  /** Unexpected answers. */
  faults = new FaultList();
  /** Milliseconds from each message to its answer. @type {number[]} */
  latenciesMs = [];
  #asked = new Map();
  #nextUpdateId = 1;
  #isStopped = false;
  #writing = [];

  /**
   * @param {() => import('../client.mjs').Client} client called before each delivery
   * @param {import('./chat-telegram.mjs').ChatTelegram} telegram
   * @param {readonly {chatId: number, secret?: string, token?: string}[]} chats with the secret of a webhook, or the token of a polling bot
   */
  constructor(client, telegram, chats) {
    this.client = client;
    this.telegram = telegram;
    this.ways = new Map(chats.map(({ chatId, secret, token }) => [chatId, { secret, token }]));
    for (const { chatId } of chats) this.written.set(chatId, 0);
    telegram.onMessage = (chatId, text) => this.#take(chatId, text);
  }

  get total() {
    return [...this.written.values()].reduce((sum, count) => sum + count, 0);
  }

  get answered() {
    return this.latenciesMs.length;
  }

  /** Of messages still waiting for an answer. */
  get longestWaitMs() {
    return Math.max(0, ...[...this.#asked.values()].map((atMs) => performance.now() - atMs));
  }

  get timesText() {
    const { p50Ms, p99Ms, maxMs } = summarise(this.latenciesMs);
    return `answered after ${p50Ms.toFixed(0)} ms (p50), ${p99Ms.toFixed(0)} ms (p99), ${maxMs.toFixed(0)} ms at most`;
  }

  /**
   * @param {{chats?: readonly number[], thinkMs: number}} options `thinkMs`: limit in milliseconds between an answer and the next message
   */
  begin({ chats = [...this.written.keys()], thinkMs }) {
    this.#writing.push(...chats.map((chatId) => this.#converse(chatId, thinkMs)));
  }

  /** Writes once. @returns {Promise<string>} the text, once it is acknowledged or Telegram keeps it for a polling bot */
  async write(chatId) {
    const text = `${chatId}#${this.written.get(chatId)}`;
    this.written.set(chatId, this.written.get(chatId) + 1);
    this.#asked.set(answerTo(text), performance.now());
    const body = messageUpdate(this.#nextUpdateId++, chatId, text);
    const { secret, token } = this.ways.get(chatId);
    if (token) this.telegram.queueOf(token).add(JSON.parse(body.toString()));
    else while (!(await this.#isDelivered(secret, body))) await pause(AGAIN_MS);
    return text;
  }

  isAnswered(text) {
    return !this.#asked.has(answerTo(text));
  }

  /** Stops everybody and waits for all answers. @param {number} limitMs from now */
  async stop(limitMs) {
    this.#isStopped = true;
    await Promise.all(this.#writing);
    await until('everybody to be answered', () => this.#asked.size === 0, limitMs).catch(() => undefined);
  }

  async #converse(chatId, thinkMs) {
    while (!this.#isStopped) {
      await pause(Math.random() * thinkMs);
      if (this.#isStopped) return;
      const text = await this.write(chatId);
      while (!this.isAnswered(text) && !this.#isStopped) await pause(20);
    }
  }

  async #isDelivered(secret, body) {
    const headers = { 'x-telegram-bot-api-secret-token': secret, authorization: '' };
    const answer = await this.client()
      .post(RECEIVER, body, { headers })
      .catch(() => null);
    if (answer !== null && answer.status !== 200 && answer.status < 500)
      this.faults.add(`a delivery was answered with ${answer.status}`);
    return answer?.status === 200;
  }

  #take(chatId, text) {
    const askedMs = this.#asked.get(text);
    if (askedMs === undefined) return this.faults.add(`chat ${chatId} got "${text}"`);
    this.latenciesMs.push(performance.now() - askedMs);
    return this.#asked.delete(text);
  }
}
