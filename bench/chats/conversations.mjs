import { performance } from 'node:perf_hooks';
import { FaultList } from '../generator/fault-list.mjs';
import { summarise } from '../generator/latencies.mjs';
import { answerTo } from './agent.mjs';
import { messageUpdate } from './message-update.mjs';

/** People who write, each only after the bot has answered their previous message. */
export class Conversations {
  #faults = new FaultList();
  #latencies = [];
  #asked = new Map();
  #sent = 0;
  #finish = () => {};

  /**
   * @param {import('./chat-world.mjs').ChatWorld} world
   * @param {{messages: number, underWay: number, firstUpdateId: number, maxSeconds: number}} plan
   */
  constructor(world, plan) {
    this.world = world;
    this.plan = plan;
    this.free = [...world.chats];
  }

  /** @returns {Promise<Record<string, any>>} what `Load.run` reports; times are from the update to the answer */
  async run() {
    this.world.telegram.onMessage = (chatId, text) => this.#take(chatId, text);
    this.world.onFault = (fault) => this.#faults.add(fault);
    const started = performance.now();
    const cpu = process.cpuUsage();
    const isCutShort = await this.#untilAnswered();
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(cpu);
    return {
      requests: this.#latencies.length,
      seconds,
      isCutShort,
      generatorCpuMs: (used.user + used.system) / 1000,
      ...summarise(this.#latencies),
      faultCount: this.#faults.count,
      faults: this.#faults.samples,
      summary: {},
    };
  }

  #untilAnswered() {
    return new Promise((resolve) => {
      const watchdog = setTimeout(() => resolve(true), this.plan.maxSeconds * 1000);
      this.#finish = () => {
        clearTimeout(watchdog);
        resolve(false);
      };
      for (let i = 0; i < this.plan.underWay; i += 1) this.#write();
    });
  }

  #write() {
    if (this.#sent === this.plan.messages) return;
    const { chatId, secret } = this.free.shift();
    const text = `Where is parcel ${this.#sent}?`;
    const body = messageUpdate(this.plan.firstUpdateId + this.#sent, chatId, text);
    this.#sent += 1;
    this.#asked.set(chatId, { text, secret, atMs: performance.now() });
    this.world.send(this.world.requests.telegramUpdate(secret, body));
  }

  #take(chatId, text) {
    const asked = this.#asked.get(Number(chatId));
    if (asked === undefined || text !== answerTo(asked.text)) {
      this.#faults.add(`chat ${chatId} got "${text}"`);
      return;
    }
    this.#latencies.push(performance.now() - asked.atMs);
    this.#asked.delete(Number(chatId));
    this.free.push({ chatId: Number(chatId), secret: asked.secret });
    if (this.#latencies.length === this.plan.messages) this.#finish();
    else this.#write();
  }
}
