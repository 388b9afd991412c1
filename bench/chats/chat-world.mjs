import { ConnectionPool } from '../generator/connection-pool.mjs';
import { Requests } from '../generator/requests.mjs';
import { Agent } from './agent.mjs';
import { Telegram } from './telegram.mjs';

const CONNECTIONS = 32;

/** Bots with their channels, people with their chats, and the bots' agent. */
export class ChatWorld {
  telegram = new Telegram();
  agent = new Agent();
  /** @type {{chatId: number, secret: string}[]} neighbours belong to different bots */
  chats = [];
  /** @type {string[]} ids of the channels, one for each bot */
  channels = [];
  /** @type {(fault: string | null) => void} receives the fault of each API response */
  onFault = () => {};

  async listen() {
    await Promise.all([this.telegram.listen(), this.agent.listen()]);
  }

  /** @returns {Record<string, string>} environment of the server */
  get env() {
    return { WAYSTATION_TELEGRAM_API_URL: this.telegram.url };
  }

  /**
   * Creates the channels, verified and bound, with their webhooks.
   * @param {{port: number, token: string}} server @param {{bots: number, chatsPerBot: number}} size
   * @param {object} [config] more of the channels' configs
   */
  async connect(server, { bots, chatsPerBot }, config = {}) {
    this.server = server;
    this.requests = new Requests(server);
    this.pool = new ConnectionPool(server.port, CONNECTIONS);
    await this.pool.opened();
    this.agent.report = (events) => this.send(this.#batchOf(events));
    await this.call('POST', '/v1/runners/events', { events: [this.agent.heartbeat()] });
    const secrets = [];
    for (let bot = 0; bot < bots; bot += 1) secrets.push(await this.#createBot(bot, config));
    for (let chat = 0; chat < chatsPerBot; chat += 1) {
      secrets.forEach((secret, bot) => this.chats.push({ chatId: chatIdOf(bot, chat), secret }));
    }
  }

  /** @param {import('../generator/load.mjs').Exchange} exchange */
  send(exchange) {
    this.pool.send(exchange, (fault) => this.onFault(fault));
  }

  async close() {
    this.pool?.close();
    await Promise.all([this.telegram.close(), this.agent.close()]);
  }

  #batchOf(events) {
    return this.requests.events(Buffer.from(JSON.stringify({ events })), events.length);
  }

  async #createBot(bot, config) {
    const token = `${900_000_000 + bot}:token_of_bot_${bot}`;
    const order = { channel_type: 'telegram', name: `Bot ${bot}`, config: { bot_token: token, ...config } };
    const { id, verification_code: code } = await this.call('POST', '/v1/channels', order);
    this.channels.push(id);
    await this.call('POST', `/v1/channels/${id}/agents`, { agent_name: this.agent.name });
    await this.call('POST', `/v1/channels/${id}/verify`, { code });
    await this.call('POST', `/v1/channels/${id}/setup-webhook`, { base_url: `http://127.0.0.1:${this.server.port}` });
    return this.telegram.webhookSecrets.get(token);
  }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} @throws {Error} when it is refused */
  async call(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${this.server.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.server.token}` },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: status ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

/** @returns {number} the id of a private chat and its person */
export function chatIdOf(bot, chat) {
  return 1_000_000 + bot * 1000 + chat;
}
