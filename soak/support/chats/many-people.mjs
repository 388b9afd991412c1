import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { answerTo } from '../../../bench/chats/agent.mjs';
import { FaultList } from '../../../bench/generator/fault-list.mjs';

const AGAIN_MS = 100;
const ANSWER_MS = 90_000;

/** People who write their next message a while after the previous answer. */
export class ManyPeople {
  /** @type {{chat: number, ms: number}[]} */
  times = [];
  /** Messages not answered in time. @type {string[]} */
  lost = [];
  #faults = new FaultList();
  #asked = new Map();
  #isOver = false;
  #end = new AbortController();
  #writing = [];
  #nextId = 1;

  constructor(client, platforms) {
    setMaxListeners(0, this.#end.signal);
    this.client = client;
    platforms.onMessage = (chat, text) => this.#take(chat, text);
  }

  begin(chats, thinkMs) {
    this.#writing.push(...chats.map((chat) => this.#converse(chat, thinkMs)));
  }

  since(from, chats) {
    const list = this.times.slice(from).filter(({ chat }) => !chats || chats.has(chat));
    return list.map(({ ms }) => ms);
  }

  async stop() {
    this.#isOver = true;
    this.#end.abort();
    await Promise.all(this.#writing);
  }

  faults() {
    return this.#faults;
  }

  async #converse({ account, chat }, thinkMs) {
    for (let n = 0; !this.#isOver; n += 1) {
      await pause(Math.random() * thinkMs, undefined, { signal: this.#end.signal }).catch(() => undefined);
      if (this.#isOver) return;
      const text = `${chat}#${n}`;
      const answered = new Promise((resolve) =>
        this.#asked.set(answerTo(text), { askedMs: performance.now(), resolve }),
      );
      await this.#deliver(account, chat, text);
      const isAnswered = await Promise.race([answered, pause(ANSWER_MS, false, { ref: false })]);
      if (isAnswered === false) {
        this.lost.push(text);
      }
    }
  }

  async #deliver(account, chat, text) {
    const id = this.#nextId++;
    for (;;) {
      const { path: where, body, headers } = account.deliver(chat, text, id);
      const answer = await this.client
        .post(where, body, { headers: { ...headers, authorization: '' } })
        .catch(() => null);
      if (answer?.status === 200) return;
      if (answer && answer.status < 500) return this.#faults.add(`a delivery was answered with ${answer.status}`);
      await pause(AGAIN_MS);
    }
  }

  #take(chat, text) {
    const asked = this.#asked.get(text);
    if (!asked) return this.#faults.add(`chat ${chat} got "${text}"`);
    this.#asked.delete(text);
    this.times.push({ chat: Number(chat), ms: performance.now() - asked.askedMs });
    return asked.resolve(true);
  }
}
