import { LoopbackServer } from './loopback-server.mjs';

/** The part of Telegram that channels call. */
export class Telegram {
  /** Whether bots' messages are taken and never acknowledged. */
  isHanging = false;
  /** @type {(chatId: number, text: string, message: {message_id: number, reply_markup?: object}) => void} receives what a bot sends */
  onMessage = () => {};
  /** @type {Map<string, string>} by bot token */
  webhookSecrets = new Map();
  #nextMessageId = 1;
  #server = new LoopbackServer((path, body, call) => this.#answer(path, body, call));

  async listen() {
    this.url = await this.#server.listen();
  }

  close() {
    return this.#server.close();
  }

  #answer(path, body, { isGone }) {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path);
    if (method === 'getMe') return done({ id: Number(token.split(':')[0]), is_bot: true, username: 'LoadBot' });
    if (method === 'setWebhook') {
      this.webhookSecrets.set(token, body.secret_token);
      return done(true);
    }
    if (method === 'getUpdates') return this.updates(token, body, isGone);
    if (this.isHanging) return null;
    return method === 'sendMessage' ? this.take(Number(body.chat_id), body.text, body.reply_markup) : done(true);
  }

  /** Updates of a bot that polls: none. */
  updates() {
    return done([]);
  }

  /** A message of a bot. @returns {object | null} the response; null for none */
  take(chatId, text, reply_markup) {
    const message_id = this.#nextMessageId++;
    this.onMessage(chatId, text, { message_id, reply_markup });
    return done({ message_id, date: 1, chat: { id: chatId }, text });
  }
}

function done(result) {
  return { status: 200, body: { ok: true, result } };
}
