import { LoopbackServer } from '../../../bench/chats/loopback-server.mjs';

/** As much of Telegram as channels call; it knows how often each text was taken. */
export class ChatTelegram {
  /** @type {Map<string, number>} by text */
  sent = new Map();
  /** Chats whose messages are taken and never acknowledged. @type {Set<number>} */
  silentChats = new Set();
  /** @type {(chatId: number, text: string) => void} what a bot has sent */
  onMessage = () => {};
  /** @type {Map<string, string>} by token of the bot */
  webhookSecrets = new Map();
  #server = new LoopbackServer((path, body) => this.#answer(path, body));

  async listen() {
    this.url = await this.#server.listen();
  }

  close() {
    return this.#server.close();
  }

  #answer(path, body) {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path);
    if (method === 'getMe') return done({ id: Number(token.split(':')[0]), is_bot: true, username: 'SoakBot' });
    if (method === 'setWebhook') this.webhookSecrets.set(token, body.secret_token);
    return method === 'sendMessage' ? this.#take(body) : done(true);
  }

  #take({ chat_id, text }) {
    const chatId = Number(chat_id);
    this.sent.set(text, (this.sent.get(text) ?? 0) + 1);
    this.onMessage(chatId, text);
    if (this.silentChats.has(chatId)) return null;
    return done({ message_id: this.sent.size, date: 1, chat: { id: chatId }, text });
  }
}

function done(result) {
  return { status: 200, body: { ok: true, result } };
}
