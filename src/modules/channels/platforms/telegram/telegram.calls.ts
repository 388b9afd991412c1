import { idIn, numberIn, objectIn, objectOf, textIn, type JsonObject } from '../../../../common/json-fields.js';
import { PlatformError, type ChannelAccount } from '../channel-adapter.js';
import type { OutboundFile, OutboundWords, SendOutcome } from '../outbound-message.js';
import { waitWithin, type PlatformResponse, type PlatformCalls } from '../platform-calls.js';
import { withoutSecrets } from '../platform-failure.js';
import { FileUnavailable, openLink, type OpenedFile } from '../platform-file.js';
import { formBody } from '../upload-body.js';
import { cutText } from '../../../../common/cut-text.js';
import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** Errors after which the same text may succeed without formatting. */
const BAD_MARKUP = /can't parse|text must be non-empty|message text is empty|message is too long|ENTIT/i;

/** The bot can no longer write to these chats; Telegram reports that with 400 as well as 403. */
const GONE_CHAT = /chat not found|PEER_ID_INVALID|chat was deactivated|user is deactivated|bot was (kicked|blocked)/i;

/** From `getFile`, for a file that was deleted or never existed. */
const GONE_FILE = /(wrong|invalid) (remote )?file[_ ]id|file reference expired|FILE_REFERENCE/i;

/** A response in the Bot API's format. */
export interface TelegramResponse {
  isOk: boolean;
  result: unknown;
  code: number;
  /** Telegram's description, without secrets. */
  words: string;
  retryAfterMs: number | null;
  movedTo: string | null;
}

/** A Bot API call. */
export interface TelegramCall {
  method: string;
  body: JsonObject;
  /** Milliseconds added to the usual timeout, for long polling. */
  extraTimeMs?: number;
}

/** Bot API calls for one bot. The token is part of the URL, so no error contains a URL. */
export class TelegramCalls {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly baseUrl: string,
  ) {}

  /** @throws PlatformError if the response is missing or not in the Bot API's format */
  async call(account: ChannelAccount, call: TelegramCall, signal: AbortSignal): Promise<TelegramResponse> {
    const { method, body, extraTimeMs } = call;
    const token = String(account.config.bot_token);
    const url = `${this.baseUrl}/bot${tokenPart(account)}/${method}`;
    return readResponse(await this.calls.call({ method: 'POST', url, body, extraTimeMs }, signal), token);
  }

  /** Sends a file with the method that shows it. @throws PlatformError as `call` does */
  async sendFile(
    account: ChannelAccount,
    { method, field }: FileMethod,
    file: OutboundFile,
    markup: Markup,
    signal: AbortSignal,
  ): Promise<TelegramResponse> {
    const { name, mediaType, sizeBytes, bytes } = file;
    const body = formBody(captionFields(file, markup), { field, name, mediaType, sizeBytes, bytes });
    const url = `${this.baseUrl}/bot${tokenPart(account)}/${method}`;
    return readResponse(await this.calls.upload({ url, body }, signal), String(account.config.bot_token));
  }

  /**
   * A file by its id: `getFile`, then `/file/bot<token>/<file_path>`, whose URL contains the token
   * (https://core.telegram.org/bots/api#getfile; read 2026-11-26 in aiogram's copy).
   * @throws FileUnavailable, PlatformError
   */
  async openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    const { isOk, result, words, retryAfterMs } = await this.call(
      account,
      { method: 'getFile', body: { file_id: fileId } },
      signal,
    );
    if (!isOk && /file is too big/i.test(words)) throw new FileUnavailable('too_large', words);
    // Telegram says "wrong file_id or the file is temporarily unavailable" when its own download fails
    // (https://github.com/tdlib/telegram-bot-api/issues/32; read 2026-11-28).
    const isPassing = /temporarily unavailable/i.test(words);
    if (!isOk && !isPassing && GONE_FILE.test(words)) throw new FileUnavailable('gone', words);
    if (!isOk) throw new PlatformError(words, true, retryAfterMs);
    const file = objectOf(result);
    const path = textIn(file, 'file_path')?.split('/') ?? [];
    const isPath = path.length > 0 && path.every((part) => !/^\.*$/.test(part));
    if (!isPath) throw new PlatformError('the platform names no place of the file', true);
    const address = `${this.baseUrl}/file/bot${tokenPart(account)}/${path.map(encodeURIComponent).join('/')}`;
    const expected = { mediaType: mediaTypeOf(path.at(-1)!), sizeBytes: numberIn(file, 'file_size') };
    return openLink(this.calls, { url: new URL(address) }, expected, signal);
  }

  /** The result of a call that must succeed. @throws PlatformError */
  async result(account: ChannelAccount, call: TelegramCall, signal: AbortSignal): Promise<unknown> {
    const response = await this.call(account, call, signal);
    if (!response.isOk) throw new PlatformError(response.words, true, response.retryAfterMs);
    return response.result;
  }
}

function tokenPart({ config }: ChannelAccount): string {
  return encodeURIComponent(String(config.bot_token)).replace('%3A', ':');
}

/** Telegram gives the files that it creates no media type, but these extensions. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
};

function mediaTypeOf(name: string): string | null {
  return MEDIA_TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''] ?? null;
}

/** The outcome of sending a message. */
export function outcomeOf({ isOk, result, code, words, retryAfterMs, movedTo }: TelegramResponse): SendOutcome {
  if (isOk) {
    const message = typeof result === 'object' && result !== null ? (result as JsonObject) : null;
    return { kind: 'sent', messageId: idIn(message, 'message_id') };
  }
  // Telegram's gateways also speak its format, and do not know what the server behind them has done.
  if (code === 502 || code === 504) return { kind: 'unknown', reason: words };
  if (code === 429 || code >= 500) return { kind: 'later', reason: words, afterMs: retryAfterMs };
  const isChatClosed = movedTo === null && (code === 403 || GONE_CHAT.test(words));
  return { kind: 'refused', reason: words, isChatClosed, movedTo };
}

export function isMarkupRefused({ isOk, code, words }: TelegramResponse): boolean {
  return !isOk && code === 400 && BAD_MARKUP.test(words);
}

function readResponse({ status, body, retryAfterMs }: PlatformResponse, token: string): TelegramResponse {
  const description = textIn(body, 'description');
  const isOwn = body?.ok === true || (body?.ok === false && description !== null);
  // A server in front of it may reject large files (413) in its own format.
  if (!isOwn && status !== 429 && status !== 413) {
    throw new PlatformError(`the platform answered with status ${status} and not in its own format`, false);
  }
  const parameters = objectIn(body, 'parameters');
  const seconds = numberIn(parameters, 'retry_after');
  const [, secret = token] = token.split(/:(.*)/s);
  return {
    isOk: body?.ok === true,
    result: body?.result,
    code: numberIn(body, 'error_code') ?? status,
    words: withoutSecrets(description ?? `status ${status}`, [token, secret]),
    retryAfterMs: seconds === null ? retryAfterMs : waitWithin(seconds * 1000),
    movedTo: idIn(parameters, 'migrate_to_chat_id'),
  };
}

/** The limit of `sendMessage`, after entities are parsed. */
export const MAX_TEXT_LENGTH = 4096;

type Markup = 'HTML' | 'plain';

export function callOf(message: OutboundWords, markup: Markup): TelegramCall {
  const method = message.kind === 'edit' ? 'editMessageText' : 'sendMessage';
  return { method, body: bodyOf(message, markup) };
}

/** The request body. An edit without `reply_markup` removes the buttons. */
function bodyOf(message: OutboundWords, markup: Markup): JsonObject {
  const { chatId, topic } = message.chat;
  const source = message.kind === 'text' ? message.text : cutText(message.text, MAX_TEXT_LENGTH);
  const text = markup === 'HTML' ? { text: toHtml(source), parse_mode: 'HTML' } : { text: source };
  if (message.kind === 'edit') return { chat_id: chatId, message_id: Number(message.messageId), ...text };
  return {
    chat_id: chatId,
    ...(topic === null ? {} : { message_thread_id: Number(topic) }),
    ...text,
    ...(message.kind === 'question' ? { reply_markup: keyboardOf(message.buttons) } : {}),
  };
}

/** A method that shows a file, and its parameter for the file. */
export interface FileMethod {
  method: string;
  field: string;
}

export const AS_DOCUMENT: FileMethod = { method: 'sendDocument', field: 'document' };

const MEGABYTE = 1_000_000;

/**
 * Methods that display files of these types: JPEG, PNG and WebP up to 10 MB, OGG, MP3 and M4A, MP4; up to 50 MB
 * (https://core.telegram.org/bots/api#sendphoto, #sendvoice, #sendaudio, #sendvideo, #senddocument, #sending-files; read 2026-11-26 as
 * libraries and copies quote them).
 */
const FILE_METHODS: readonly (FileMethod & { types: RegExp; maxBytes: number })[] = [
  { method: 'sendPhoto', field: 'photo', types: /^image\/(jpeg|png|webp)$/, maxBytes: 10 * MEGABYTE },
  { method: 'sendVoice', field: 'voice', types: /^audio\/ogg$/, maxBytes: Infinity },
  { method: 'sendAudio', field: 'audio', types: /^audio\/(mpeg|mp4|m4a|x-m4a)$/, maxBytes: Infinity },
  { method: 'sendVideo', field: 'video', types: /^video\/mp4$/, maxBytes: Infinity },
];

export function fileMethodOf({ mediaType, sizeBytes }: OutboundFile): FileMethod {
  return FILE_METHODS.find(({ types, maxBytes }) => types.test(mediaType) && sizeBytes <= maxBytes) ?? AS_DOCUMENT;
}

/** `caption`: 0 to 1024 characters after entities parsing. */
function captionFields({ chat, caption }: OutboundFile, markup: Markup): Record<string, string> {
  const text: Record<string, string> =
    markup === 'HTML' ? { caption: toHtml(caption), parse_mode: 'HTML' } : { caption };
  return {
    chat_id: chat.chatId,
    ...(chat.topic === null ? {} : { message_thread_id: chat.topic }),
    ...(caption === '' ? {} : text),
  };
}

/** Two buttons stand side by side; more get a row each, so that their labels stay readable. */
function keyboardOf(buttons: readonly { label: string; data: string }[]): JsonObject {
  const keys = buttons.map(({ label, data }) => ({ text: label, callback_data: data }));
  return { inline_keyboard: keys.length > 2 ? keys.map((key) => [key]) : [keys] };
}

/** HTML for Telegram's parse mode (core.telegram.org/bots/api#html-style). */
const STYLE: MarkdownStyle = {
  text: escape,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (raw) => `<code>${escape(raw)}</code>`,
  link: (label, url) => (label.trim() === '' ? escape(url) : `<a href="${escape(url)}">${label}</a>`),
  heading: (inner) => `<b>${inner}</b>`,
  quote: (inner) => `<blockquote>${inner}</blockquote>`,
  codeBlock: (raw, language) =>
    language === ''
      ? `<pre>${escape(raw)}</pre>`
      : `<pre><code class="language-${escape(language)}">${escape(raw)}</code></pre>`,
};

/** Converts Markdown to Telegram's HTML. 4096 characters become at most 26,000 bytes; Telegram's server reads 32,768. */
export function toHtml(markdown: string): string {
  return renderMarkdown(markdown, STYLE);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
