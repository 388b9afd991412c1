import { LoopbackServer } from './loopback-server.mjs';

/** As much of Telegram as channels call. */
export class Telegram {
  /** Whether messages of bots are taken and never answered. */
  isHanging = false;
  /** @type {(chatId: number, text: string, message: {message_id: number, reply_markup?: object}) => void} what a bot has sent */
  onMessage = () => {};
  /** @type {Map<string, string>} by token of the bot */
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

  /** What was written to a bot that polls: nothing. */
  updates() {
    return done([]);
  }

  /** A message of a bot. @returns {object | null} the answer; null for none */
  take(chatId, text, reply_markup) {
    const message_id = this.#nextMessageId++;
    this.onMessage(chatId, text, { message_id, reply_markup });
    return done({ message_id, date: 1, chat: { id: chatId }, text });
  }
}

function done(result) {
  return { status: 200, body: { ok: true, result } };
}
