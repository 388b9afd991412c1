import { idIn, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import { PlatformError, type ChannelAccount } from '../channel-adapter.js';
import {
  MAX_CAPTION,
  type OutboundFile,
  type OutboundMessage,
  type OutboundQuestion,
  type SendOutcome,
  type UploadOutcome,
} from '../outbound-message.js';
import type { PlatformResponse, PlatformCall, PlatformCalls } from '../platform-calls.js';
import { withoutSecrets } from '../platform-failure.js';
import { FileUnavailable, fileUrl, openLink, type OpenedFile } from '../platform-file.js';
import { formBody } from '../upload-body.js';
import { cutText } from '../../../../common/cut-text.js';
import { partsOf, recipientOf } from './whatsapp.config.js';
import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** Codes of rate limits and temporary errors: developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes. */
const PASSING = new Set([1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 131057, 133004, 133016]);

/** "Re-engagement message": more than 24 hours since the person wrote. */
const WINDOW_CLOSED = 131047;

/** Too many messages to one person: Meta allows one every 6 seconds. */
const PAIR_RATE = 131056;
const PAIR_RATE_MS = 6_000;

/** The media id is unknown or has expired. */
const GONE_MEDIA = new Set([33, 100, 131052]);

/** How long to wait after a temporary error if Meta does not say. */
const LATER_MS = 5_000;

/** A response in the Graph API's format. */
export interface GraphResponse {
  body: JsonObject;
  /** Null on success. */
  error: { code: number; words: string } | null;
  status: number;
  retryAfterMs: number | null;
}

/** Graph API calls for one number. */
export class WhatsappCalls {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly baseUrl: string,
  ) {}

  /** @throws PlatformError if the response is missing or not in the Graph API's format */
  async call(
    account: ChannelAccount,
    call: Pick<PlatformCall, 'method' | 'body'> & { path: string },
    signal: AbortSignal,
  ): Promise<GraphResponse> {
    const headers = { authorization: `Bearer ${String(account.config.access_token)}` };
    const url = `${this.baseUrl}/${call.path}`;
    const reply = await this.calls.call({ method: call.method, url, headers, body: call.body }, signal);
    return readResponse(reply, secretsOf(account));
  }

  /**
   * Uploads a file: `POST /{phone number id}/media` with `file`, `type` and `messaging_product`; the id lasts 30 days
   * (https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media, read 2026-11-26 as copies and providers quote it).
   * @throws PlatformError
   */
  async upload(
    account: ChannelAccount,
    path: string,
    { name, mediaType, sizeBytes, bytes }: OutboundFile,
    signal: AbortSignal,
  ): Promise<UploadOutcome> {
    const type = uploadTypeOf(mediaType);
    const fields = { messaging_product: 'whatsapp', type };
    const body = formBody(fields, { field: 'file', name, mediaType: type, sizeBytes, bytes });
    const headers = { authorization: `Bearer ${String(account.config.access_token)}` };
    const reply = await this.calls.upload({ url: `${this.baseUrl}/${path}`, headers, body }, signal);
    const response = readResponse(reply, secretsOf(account));
    if (response.error) return failureOfGraph(response, response.error);
    const uploadId = idIn(response.body, 'id');
    return uploadId === null
      ? { kind: 'later', reason: 'the platform names no file', afterMs: null }
      : { kind: 'uploaded', uploadId };
  }

  /**
   * A file by its media id: a link that is valid for 5 minutes, then its bytes, both with the token
   * (https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media, read 2026-11-26).
   * @throws FileUnavailable, PlatformError
   */
  async openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    const path = encodeURIComponent(fileId);
    const { body, error, retryAfterMs, status } = await this.call(account, { method: 'GET', path }, signal);
    if (error && GONE_MEDIA.has(error.code)) throw new FileUnavailable('gone', error.words);
    const laterMs = error && (status >= 500 || PASSING.has(error.code)) ? LATER_MS : null;
    if (error) throw new PlatformError(error.words, true, retryAfterMs ?? laterMs);
    const url = fileUrl(textIn(body, 'url') ?? '', this.baseUrl);
    const headers = { authorization: `Bearer ${String(account.config.access_token)}` };
    const expected = { mediaType: textIn(body, 'mime_type'), sizeBytes: numberIn(body, 'file_size') };
    return openLink(this.calls, { url, headers }, expected, signal);
  }

  /** The body of a call that must succeed. @throws PlatformError */
  async result(
    account: ChannelAccount,
    call: Pick<PlatformCall, 'method' | 'body'> & { path: string },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { body, error, retryAfterMs } = await this.call(account, call, signal);
    if (error) throw new PlatformError(error.words, true, retryAfterMs);
    return body;
  }
}

function secretsOf({ config: { access_token, app_secret, verify_token } }: ChannelAccount): string[] {
  return [access_token, app_secret, verify_token].map(String);
}

export function outcomeOf(response: GraphResponse): SendOutcome {
  if (response.error) return failureOfGraph(response, response.error);
  const [message] = objectsIn(response.body, 'messages');
  const messageId = idIn(message ?? null, 'id');
  if (messageId !== null) return { kind: 'sent', messageId };
  return { kind: 'unknown', reason: 'the answer of the platform names no message' };
}

function failureOfGraph(
  { status, retryAfterMs }: GraphResponse,
  error: NonNullable<GraphResponse['error']>,
): Extract<SendOutcome, { kind: 'later' | 'refused' }> {
  const isPassing = status === 429 || status >= 500 || PASSING.has(error.code);
  const usualMs = error.code === PAIR_RATE ? PAIR_RATE_MS : null;
  if (isPassing) return { kind: 'later', reason: error.words, afterMs: retryAfterMs ?? usualMs };
  return { kind: 'refused', reason: error.words, isChatClosed: error.code === WINDOW_CLOSED, movedTo: null };
}

function readResponse({ status, body, retryAfterMs }: PlatformResponse, secrets: readonly string[]): GraphResponse {
  const error = objectIn(body, 'error');
  const isOwn = error !== null || (body !== null && status >= 200 && status < 300);
  if (!isOwn && status !== 429) {
    throw new PlatformError(`the platform answered with status ${status} and not in its own format`, false);
  }
  const code = numberIn(error, 'code') ?? 0;
  const words = textIn(objectIn(error, 'error_data'), 'details') ?? textIn(error, 'message') ?? `status ${status}`;
  const hasFailed = error !== null || status === 429;
  return {
    body: body ?? {},
    error: hasFailed ? { code, words: withoutSecrets(code === 0 ? words : `${code}: ${words}`, secrets) } : null,
    status,
    retryAfterMs,
  };
}

export const MAX_TEXT_LENGTH = 4096;

/** The limit of an interactive message's body. */
export const MAX_QUESTION_LENGTH = 1024;

/** The body of a message. Businesses cannot edit messages, so an edit is a new message. */
export function bodyOf(message: OutboundMessage): JsonObject {
  const to = { messaging_product: 'whatsapp', ...recipientOf(message.chat.chatId) };
  if (message.kind === 'file') return { ...to, ...mediaOf(message) };
  if (message.kind === 'question') return { ...to, type: 'interactive', interactive: interactiveOf(message) };
  const text = message.kind === 'edit' ? cutText(message.text, MAX_TEXT_LENGTH) : message.text;
  return { ...to, type: 'text', text: { body: toWhatsapp(text, MAX_TEXT_LENGTH) } };
}

const MEGABYTE = 1_000_000;

/** Types that WhatsApp displays; all others are sent as documents (supported media types, same page). */
const MEDIA: readonly { type: string; types: RegExp; maxBytes: number }[] = [
  { type: 'image', types: /^image\/(jpeg|png)$/, maxBytes: 5 * MEGABYTE },
  { type: 'audio', types: /^audio\/(aac|amr|mpeg|mp4|ogg)$/, maxBytes: 16 * MEGABYTE },
  { type: 'video', types: /^video\/(mp4|3gpp)$/, maxBytes: 16 * MEGABYTE },
];

/** `caption` is allowed on images, videos and documents, `filename` on documents; audio with a caption is sent as a document. */
function mediaOf({ mediaType, sizeBytes, uploadId: id, caption, name: filename }: OutboundFile): JsonObject {
  const known = MEDIA.find(({ types, maxBytes }) => types.test(mediaType) && sizeBytes <= maxBytes)?.type;
  const words = caption === '' ? {} : { caption: toWhatsapp(caption, MAX_CAPTION) };
  const type = known === undefined || (known === 'audio' && caption !== '') ? 'document' : known;
  const named = type === 'document' ? { filename } : {};
  return { type, [type]: { id, ...words, ...named } };
}

/** The only text type that Meta accepts is plain text. */
function uploadTypeOf(mediaType: string): string {
  return /^(text\/|application\/json$)/.test(mediaType) ? 'text/plain' : mediaType;
}

/** A message that quotes the button press. */
export function noticeOf(pressId: string, text: string): JsonObject {
  const { chatId, messageId } = partsOf(pressId);
  const chat = { chatId, topic: null };
  return { ...bodyOf({ kind: 'text', chat, text }), context: { message_id: messageId } };
}

function interactiveOf({ text, buttons }: OutboundQuestion): JsonObject {
  const body = toWhatsapp(cutText(text, MAX_QUESTION_LENGTH), MAX_QUESTION_LENGTH);
  const replies = buttons.map(({ label, data }) => ({ type: 'reply', reply: { id: data, title: label } }));
  return { type: 'button', body: { text: body }, action: { buttons: replies } };
}

/** The markup of WhatsApp's editor. No mark is longer than Markdown's. */
const STYLE: MarkdownStyle = {
  text: (raw) => raw,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  code: (raw) => `\`${raw}\``,
  link: (label, url) => (label.trim() === '' || label === url ? url : `${label} (${url})`),
  heading: (inner) => `*${inner}*`,
  quote: (inner) => inner.replaceAll(/^/gm, '> '),
  codeBlock: (raw) => `\`\`\`\n${raw}\n\`\`\``,
};

/** Converts Markdown to WhatsApp's markup; returns it unchanged if the result would not fit. */
export function toWhatsapp(markdown: string, limit: number): string {
  const text = renderMarkdown(markdown, STYLE);
  return text.length <= limit ? text : markdown;
}
