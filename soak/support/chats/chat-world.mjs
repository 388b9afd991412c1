import { answerTo } from '../../../bench/chats/agent.mjs';
import { FaultList } from '../../../bench/generator/fault-list.mjs';
import { until } from '../until.mjs';
import { ChatAgent } from './chat-agent.mjs';
import { ChatTelegram } from './chat-telegram.mjs';
import { People } from './people.mjs';

const BEAT_MS = 15_000;
const SETTLE_MS = 60_000;
/** States of a message that is not finished. */
const OPEN = new Set(['received', 'started', 'queued', 'sending']);

/** Bots on Telegram with their channels, people who write to them, and the bots' agent. */
export class ChatWorld {
  telegram = new ChatTelegram();
  /** @type {string[]} */
  channels = [];
  #beats;

  /** @param {() => import('../client.mjs').Client} client of the API, called before each request; set once servers run */
  constructor(client) {
    this.client = client;
    this.agent = new ChatAgent(() => this.client());
  }

  /** Call it before servers start: they need Telegram's address. @param {import('../stage.mjs').Stage} stage */
  static async open(stage) {
    const world = new ChatWorld(() => {
      throw new Error('no server yet');
    });
    await Promise.all([world.telegram.listen(), world.agent.listen()]);
    stage.cleanup.add(() => world.close());
    return world;
  }

  /** @returns {Record<string, string>} environment of the servers */
  get env() {
    return { WAYSTATION_TELEGRAM_API_URL: this.telegram.url };
  }

  /**
   * Creates the channels, verified and bound, with their webhooks or to be polled.
   * @param {() => import('../client.mjs').Client} client @param {{bots: number, chatsPerBot: number, isPolled?: boolean}} size
   */
  async connect(client, { bots, chatsPerBot, isPolled = false }) {
    this.client = client;
    await this.agent.beat();
    this.#beats = setInterval(() => void this.agent.beat().catch(() => undefined), BEAT_MS);
    const chats = [];
    for (let bot = 0; bot < bots; bot += 1) {
      const way = await this.#createBot(bot, isPolled);
      for (let chat = 0; chat < chatsPerBot; chat += 1) chats.push({ chatId: 1_000_000 + bot * 1000 + chat, ...way });
    }
    this.people = new People(() => this.client(), this.telegram, chats);
  }

  /**
   * Faults in the handling of the messages, once all are finished.
   * @param {{mayBeUnknown?: boolean}} [options] whether a server was killed that may have been sending
   * @returns {Promise<{faults: FaultList, unknown: number}>} `unknown`: answers whose sending is unknown according to the log
   */
  async verify({ mayBeUnknown = false } = {}) {
    const log = await this.#settledLog();
    const faults = new FaultList();
    for (const [chatId, count] of this.people.written) {
      for (let n = 0; n < count; n += 1) faults.add(this.#faultOf(`${chatId}#${n}`, log, mayBeUnknown));
    }
    const [runs, messages] = [this.agent.runs.size, this.people.total];
    faults.add(runs === messages ? null : `${messages} messages, ${runs} runs`);
    for (const list of [this.agent.faults, this.people.faults]) list.samples.forEach((sample) => faults.add(sample));
    const unknown = [...log.values()].filter(({ direction, status }) => direction === 'out' && status === 'unknown');
    return { faults, unknown: unknown.length };
  }

  async close() {
    clearInterval(this.#beats);
    await Promise.all([this.telegram.close(), this.agent.close()]);
  }

  #faultOf(text, log, mayBeUnknown) {
    const [came, answer] = [log.get(`in ${text}`), log.get(`out ${answerTo(text)}`)];
    const sent = this.telegram.sent.get(answerTo(text)) ?? 0;
    if (came?.count !== 1 || came.status !== 'done') return `"${text}": came in ${came?.count}x, ${came?.status}`;
    if (answer?.count !== 1) return `"${text}": ${answer?.count ?? 0} answers in the log`;
    if (answer.status === 'sent' && sent === 1) return null;
    if (mayBeUnknown && answer.status === 'unknown' && sent <= 1) return null;
    return `"${text}": the answer is ${answer.status}, Telegram took it ${sent}x`;
  }

  /** The message log of all channels by direction and text, once all entries are final. */
  #settledLog() {
    let log = new Map();
    const isSettled = async () => {
      log = await this.#log();
      return ![...log.values()].some(({ status }) => OPEN.has(status));
    };
    return until('the messages to be worked off', isSettled, SETTLE_MS).then(
      () => log,
      () => log,
    );
  }

  async #log() {
    const log = new Map();
    for (const id of this.channels) {
      for (let cursor = ''; cursor !== null;) {
        const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page = await this.client().json(`/v1/channels/${id}/messages?limit=200${query}`);
        for (const message of page.items) noteIn(log, message);
        cursor = page.next_cursor;
      }
    }
    return log;
  }

  /** @returns {Promise<{secret: string} | {token: string}>} the way for messages into the channel */
  async #createBot(bot, isPolled) {
    const token = `${900_000_000 + bot}:token_of_bot_${bot}`;
    const config = { bot_token: token, ...(isPolled && { transport: 'polling' }) };
    const order = { channel_type: 'telegram', name: `Bot ${bot}`, config };
    const { id, verification_code: code } = await this.#post('/v1/channels', order);
    this.channels.push(id);
    await this.#post(`/v1/channels/${id}/agents`, { agent_name: this.agent.name });
    await this.#post(`/v1/channels/${id}/verify`, { code });
    if (isPolled) return { token };
    await this.#post(`/v1/channels/${id}/setup-webhook`, { base_url: `http://127.0.0.1:${this.client().port}` });
    return { secret: this.telegram.webhookSecrets.get(token) };
  }

  async #post(path, body) {
    const { status, bytes } = await this.client().post(path, body);
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${bytes.toString().slice(0, 300)}`);
    return JSON.parse(bytes.toString());
  }
}

function noteIn(log, { direction, text, status }) {
  const key = `${direction} ${text}`;
  log.set(key, { direction, status, count: (log.get(key)?.count ?? 0) + 1 });
}
