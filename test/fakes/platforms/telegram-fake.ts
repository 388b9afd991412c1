import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { SentFile, SentForm } from './form-data.js';
import { deliver, PlatformServer, type Mishap, type PlatformReply, type PlatformRequest } from './platform-server.js';
import {
  buttonFault,
  FILE_FIELDS,
  fileOf,
  Refusal,
  shownOf,
  textFault,
  type TelegramMessage,
  type Values,
} from './telegram-rules.js';

interface Queued {
  updateId: number;
  lane: string;
  update: Values;
}

/** Deliveries at a time unless `max_connections` says otherwise (https://core.telegram.org/bots/api#setwebhook, read 2026-11-27). */
const MAX_CONNECTIONS = 40;
const SECRET = /^[A-Za-z0-9_-]{1,256}$/;

/**
 * The Bot API for one bot, as strict as the real one: unknown chats, long texts, broken markup and long button data are refused.
 * Updates are delivered in order per chat (presses: per user), again and again until a 2xx, or by getUpdates.
 */
export class TelegramFake {
  readonly messages: TelegramMessage[] = [];
  /** Chats that exist: whoever wrote to the bot. */
  readonly chats = new Set<string>();
  /** Chats whose people blocked the bot. */
  readonly blocked = new Set<string>();
  readonly pressAnswers: { id: string; text: string }[] = [];
  readonly typing: string[] = [];
  /** Questions for updates that ended another one, which was still open. */
  conflicts = 0;
  webhook: { url: string; secret: string; allowed: string[] } | null = null;
  /** Milliseconds to the second and to each further try of a delivery; Telegram itself takes seconds. */
  retryMs = 50;
  /** Whether the answer to a delivery gets lost, so that the update is delivered once more. */
  isAnswerLost: () => boolean = () => false;
  /** Where the next update is delivered; null for the webhook. */
  nextReceiver: (() => string) | null = null;
  /** Files that people have sent, by their id; others are gone. */
  readonly files = new Map<string, Buffer>();
  /** What is said of their length where it is not true. */
  readonly saidSizes = new Map<string, number>();
  private readonly server = new PlatformServer((request) => this.handle(request));
  private queue: Queued[] = [];
  /** Free connections to the receiver, and who waits for one. */
  private connections = MAX_CONNECTIONS;
  private readonly waiting: (() => void)[] = [];
  private readonly busyLanes = new Set<string>();
  private nextUpdateId = 900_000_000;
  private nextMessageId = 1;
  private isClosed = false;
  /** The question for updates that is open; the next one ends it. */
  private openPoll: symbol | null = null;
  /** Something that a question for updates waits for: an update, another question, the end. */
  private readonly news = new EventEmitter();

  constructor(
    readonly token = '700100200:TEST-token_of_the_fake_bot',
    readonly userName = 'WaystationBot',
  ) {}

  static async start(port = 0, token?: string): Promise<TelegramFake> {
    const fake = new TelegramFake(token);
    await fake.server.listen(port);
    return fake;
  }

  get url(): string {
    return this.server.url;
  }

  get requests(): readonly PlatformRequest[] {
    return this.server.requests;
  }

  get pending(): number {
    return this.queue.length;
  }

  /** As if its process were killed. @returns brings it back */
  die(): Promise<() => Promise<void>> {
    return this.server.die();
  }

  /** @param pauseMs milliseconds before each part of its work */
  slowDown(pauseMs: () => number): void {
    this.server.pauseMs = pauseMs;
  }

  failNext(method: string, mishap: Mishap): void {
    this.server.failNext(new RegExp(`/${method}$`), mishap);
  }

  /** The error body of the Bot API. */
  static error(code: number, description: string, parameters?: Values): PlatformReply {
    return { status: code, body: { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) } };
  }

  /** Whether somebody waits for updates. */
  get isPolled(): boolean {
    return this.openPoll !== null;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.news.emit('news');
    await this.server.close();
  }

  /** Somebody writes in a private chat. Answers the update's id. */
  write(userId: number, text: string, more: Values = {}): number {
    const from = { id: userId, is_bot: false, first_name: `User ${userId}` };
    return this.push({ message: { ...this.envelope(userId, 'private', from), text, ...more } }, `chat:${userId}`);
  }

  /** Somebody writes in a group; `entities` say what is a mention or a command. */
  writeInGroup(chatId: number, userId: number, text: string, more: Values = {}): number {
    const from = { id: userId, is_bot: false, first_name: `User ${userId}` };
    return this.push({ message: { ...this.envelope(chatId, 'supergroup', from), text, ...more } }, `chat:${chatId}`);
  }

  /** Somebody presses the button of that label under the message. */
  press(userId: number, messageId: number, label: string): number {
    const message = this.messages.find((candidate) => candidate.messageId === messageId);
    const button = message?.buttons.find(({ text }) => text === label);
    if (!message || !button) throw new Error(`There is no button ${label} under message ${messageId}.`);
    const from = { id: userId, is_bot: false, first_name: `User ${userId}` };
    const type = message.chatId.startsWith('-') ? 'supergroup' : 'private';
    const shown = { message_id: messageId, date: 1_700_000_000, chat: { id: Number(message.chatId), type } };
    const query = { id: String(this.nextUpdateId * 7), from, message: shown, chat_instance: '1', data: button.data };
    return this.push({ callback_query: query }, `user:${userId}`);
  }

  /** Forgets what was not delivered, as Telegram does after a day. */
  drop(): void {
    this.queue = [];
  }

  /** Queues any update, and delivers it where there is a webhook. */
  push(content: Values, lane: string): number {
    const updateId = this.nextUpdateId++;
    this.queue.push({ updateId, lane, update: { update_id: updateId, ...content } });
    this.news.emit('news');
    void this.drain(lane);
    return updateId;
  }

  private envelope(chatId: number, type: string, from: Values): Values {
    this.chats.add(String(chatId));
    const chat = { id: chatId, type, ...(type === 'private' ? {} : { title: `Group ${chatId}` }) };
    return { message_id: this.nextMessageId++, from, chat, date: Math.floor(Date.now() / 1000) };
  }

  /** One try after the other, the next update of the lane only after a 2xx for the one before it. */
  private async drain(lane: string): Promise<void> {
    if (this.busyLanes.has(lane)) return;
    this.busyLanes.add(lane);
    for (let tries = 0; !this.isClosed && this.webhook !== null; tries++) {
      const next = this.queue.find((queued) => queued.lane === lane);
      if (!next) break;
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': this.webhook.secret };
      const url = this.nextReceiver?.() ?? this.webhook.url;
      await this.connection();
      const { status } = await deliver(url, headers, JSON.stringify(next.update));
      this.connections += 1;
      this.waiting.shift()?.();
      if (status >= 200 && status < 300 && !this.isAnswerLost()) {
        this.queue = this.queue.filter((queued) => queued !== next);
        tries = -1;
      } else if (tries > 0) await pause(this.retryMs);
    }
    this.busyLanes.delete(lane);
  }

  /** Waits until another request may be in progress. */
  private async connection(): Promise<void> {
    while (this.connections === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.connections -= 1;
  }

  private async handle({ path, body, form }: PlatformRequest): Promise<PlatformReply> {
    const [, owner, fileId = ''] = /^\/file\/bot([^/]+)\/documents\/(\w+)$/.exec(path) ?? [];
    if (owner === this.token) return this.bytesOf(fileId);
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (token !== this.token) return TelegramFake.error(401, 'Unauthorized');
    const result = method in FILE_FIELDS ? this.sendFile(method, form) : await this.run(method, body);
    return result instanceof Refusal ? TelegramFake.error(result.code, result.message, result.parameters) : ok(result);
  }

  private async run(method: string, body: Values): Promise<unknown> {
    if (method === 'getMe') {
      return { id: Number(this.token.split(':')[0]), is_bot: true, first_name: 'Waystation', username: this.userName };
    }
    if (method === 'setWebhook') return this.setWebhook(body);
    if (method === 'deleteWebhook') return ((this.webhook = null), true);
    if (method === 'getUpdates') return this.getUpdates(body);
    if (method === 'getFile') return this.getFile(String(body.file_id));
    if (method === 'sendMessage') return this.sendMessage(body);
    if (method === 'editMessageText') return this.editMessage(body);
    if (method === 'sendChatAction') return this.chatFault(body) ?? (this.typing.push(String(body.chat_id)), true);
    if (method === 'answerCallbackQuery') return this.answerPress(body);
    return new Refusal(404, 'Not Found');
  }

  private setWebhook({ url, secret_token: secret = '', allowed_updates: allowed = [] }: Values): unknown {
    if (typeof url !== 'string' || !/^https?:/.test(url))
      return new Refusal(400, 'Bad Request: bad webhook: invalid URL');
    if (!SECRET.test(String(secret))) {
      return new Refusal(400, 'Bad Request: secret token contains unallowed characters');
    }
    this.webhook = { url, secret: String(secret), allowed: allowed as string[] };
    for (const { lane } of this.queue) void this.drain(lane);
    return true;
  }

  private async getUpdates({ offset = 0, timeout = 0, limit = 100 }: Values): Promise<unknown> {
    if (this.webhook) {
      return new Refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first");
    }
    // What lies before the offset is confirmed, and forgotten.
    this.queue = this.queue.filter(({ updateId }) => updateId >= Number(offset));
    const end = AbortSignal.timeout(Number(timeout) * 1000);
    if (this.openPoll !== null) this.conflicts += 1;
    const poll = (this.openPoll = Symbol('getUpdates'));
    this.news.emit('news');
    while (this.openPoll === poll && this.queue.length === 0 && !end.aborted && !this.isClosed) {
      await once(this.news, 'news', { signal: end }).catch(() => undefined);
    }
    if (this.openPoll !== poll) return new Refusal(409, 'Conflict: terminated by other getUpdates request');
    this.openPoll = null;
    return this.queue.slice(0, Number(limit)).map(({ update }) => update);
  }

  private getFile(fileId: string): unknown {
    const bytes = this.files.get(fileId);
    if (!bytes) return new Refusal(400, 'Bad Request: invalid file_id');
    if (bytes.length > 20 * 1024 * 1024) return new Refusal(400, 'Bad Request: file is too big');
    const file_size = this.saidSizes.get(fileId) ?? bytes.length;
    return { file_id: fileId, file_unique_id: fileId, file_size, file_path: `documents/${fileId}` };
  }

  private bytesOf(fileId: string): PlatformReply {
    const bytes = this.files.get(fileId);
    if (!bytes) return TelegramFake.error(404, 'Not Found');
    const isTrue = !this.saidSizes.has(fileId);
    return { status: 200, body: bytes, headers: isTrue ? {} : { 'transfer-encoding': 'chunked' } };
  }

  private sendMessage(body: Values): unknown {
    const fault = this.chatFault(body) ?? textFault(body) ?? buttonFault(body);
    if (fault) return fault;
    const message = { ...shownOf(body), messageId: this.nextMessageId++ };
    this.messages.push(message);
    return {
      message_id: message.messageId,
      date: 1_700_000_000,
      chat: { id: Number(message.chatId) },
      text: message.text,
    };
  }

  private sendFile(method: string, form: SentForm | null): unknown {
    const body = { ...form?.fields, text: form?.fields.caption ?? '' };
    const file = fileOf(method, form);
    const fault = this.chatFault(body) ?? (file instanceof Refusal ? file : null);
    if (fault) return fault;
    const message = { ...shownOf(body), messageId: this.nextMessageId++, file: { ...(file as SentFile), method } };
    this.messages.push(message);
    return { message_id: message.messageId, date: 1_700_000_000, chat: { id: Number(message.chatId) } };
  }

  private editMessage(body: Values): unknown {
    const fault = this.chatFault(body) ?? textFault(body);
    if (fault) return fault;
    const message = this.messages.find((candidate) => candidate.messageId === body.message_id);
    if (!message) return new Refusal(400, 'Bad Request: message to edit not found');
    const { text, isHtml, buttons } = shownOf(body);
    if (message.text === text && message.buttons.length === buttons.length) {
      return new Refusal(400, 'Bad Request: message is not modified: specified new message content is the same');
    }
    Object.assign(message, { text, isHtml, buttons });
    return { message_id: message.messageId, chat: { id: Number(message.chatId) }, text };
  }

  private answerPress({ callback_query_id: id, text = '' }: Values): unknown {
    if (String(text).length > 200) return new Refusal(400, 'Bad Request: MESSAGE_TOO_LONG');
    this.pressAnswers.push({ id: String(id), text: String(text) });
    return true;
  }

  private chatFault({ chat_id: chatId }: Values): Refusal | null {
    if (this.blocked.has(String(chatId))) return new Refusal(403, 'Forbidden: bot was blocked by the user');
    return this.chats.has(String(chatId)) ? null : new Refusal(400, 'Bad Request: chat not found');
  }
}

function ok(result: unknown): PlatformReply {
  return { status: 200, body: { ok: true, result } };
}
