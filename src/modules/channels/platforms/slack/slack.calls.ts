import { idIn, numberIn, objectIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import { PlatformError, type ChannelAccount } from '../channel-adapter.js';
import type { Button, OutboundFile, OutboundWords, SendOutcome, UploadOutcome } from '../outbound-message.js';
import type { PlatformCall, PlatformResponse, PlatformCalls } from '../platform-calls.js';
import { withoutSecrets } from '../platform-failure.js';
import { FileUnavailable, fileUrl, leave, openLink, type OpenedFile } from '../platform-file.js';
import { cutText } from '../../../../common/cut-text.js';
import { FENCE, renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** The call had no effect, and may succeed later. */
const PASSING = ['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org'];

/** "It's possible some aspect of the operation succeeded before the error was raised" (docs.slack.dev, chat.postMessage). */
const UNCERTAIN = ['internal_error', 'fatal_error'];

/** The bot cannot write there until somebody lets it in again. */
const CLOSED = [
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_not_found',
  'cannot_dm_bot',
  'user_disabled',
];

const NO_FILES = 'missing_scope: the app may not read files; add the scope files:read and install the app again';

const NO_SENT_FILES = 'missing_scope: the app may not send files; add the scope files:write and install the app again';

/** The file was deleted. */
const GONE_FILE = ['file_not_found', 'file_deleted'];

function asFileFault(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  if (GONE_FILE.includes(error.message)) throw new FileUnavailable('gone', error.message);
  if (error.message === 'missing_scope') throw new PlatformError(NO_FILES, true);
  const laterMs = PASSING.includes(error.message) ? LATER_MS : null;
  throw new PlatformError(error.message, error.isCertain, error.retryAfterMs ?? laterMs);
}

/** Whether Slack sent a web page instead of the file. */
function isPage(opened: OpenedFile, expected: Pick<OpenedFile, 'mediaType' | 'sizeBytes'>): boolean {
  if (!/^text\/html\b/i.test(opened.answeredType ?? '')) return false;
  return !/^text\/html\b/i.test(expected.mediaType ?? '') || opened.sizeBytes !== expected.sizeBytes;
}

/** How long to wait after a temporary error if Slack does not say. */
const LATER_MS = 5_000;

/** A response in the Web API's format. */
export interface SlackResponse {
  body: JsonObject;
  /** Null on success. */
  error: string | null;
  retryAfterMs: number | null;
}

/** Web API calls for one workspace. */
export class SlackCalls {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly baseUrl: string,
  ) {}

  /** @throws PlatformError if the response is missing or not in the Web API's format */
  async call(account: ChannelAccount, method: string, body: JsonObject, signal: AbortSignal): Promise<SlackResponse> {
    return this.send(account, { method: 'POST', url: `${this.baseUrl}/${method}`, body }, signal);
  }

  /**
   * The body of a read method, which takes no JSON (docs.slack.dev/apis/web-api/; read 2026-11-26 as libraries quote it).
   * @throws PlatformError
   */
  async read(
    account: ChannelAccount,
    method: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const url = `${this.baseUrl}/${method}?${new URLSearchParams(query).toString()}`;
    return resultOf(await this.send(account, { method: 'GET', url }, signal));
  }

  /**
   * A file by its id: `files.info`, then `url_private_download` with the token. Needs the scope `files:read`; without it Slack shows a
   * sign-in page (https://docs.slack.dev/reference/methods/files.info and /reference/objects/file-object; read 2026-11-26 as libraries
   * quote them).
   * @throws FileUnavailable, PlatformError
   */
  async openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    const query = { file: fileId };
    const file = objectIn(await this.read(account, 'files.info', query, signal).catch(asFileFault), 'file');
    if (textIn(file, 'mode') === 'tombstone') throw new FileUnavailable('gone', 'file_deleted');
    const expected = { mediaType: textIn(file, 'mimetype'), sizeBytes: numberIn(file, 'size') };
    const url = fileUrl(textIn(file, 'url_private_download') ?? textIn(file, 'url_private') ?? '', this.baseUrl);
    const headers = { authorization: `Bearer ${String(account.config.bot_token)}` };
    const opened = await openLink(this.calls, { url, headers }, expected, signal);
    if (!isPage(opened, expected)) return opened;
    await leave(opened.bytes);
    throw new PlatformError(NO_FILES, true);
  }

  /**
   * Uploads a file: `files.getUploadURLExternal`, then its bytes, without the token, to the address that Slack returns. Needs the scope
   * `files:write` (https://docs.slack.dev/reference/methods/files.getUploadURLExternal/, read 2026-11-26).
   * @throws PlatformError
   */
  async upload(
    account: ChannelAccount,
    { name: filename, sizeBytes, bytes }: OutboundFile,
    signal: AbortSignal,
  ): Promise<UploadOutcome> {
    const query = new URLSearchParams({ filename, length: String(sizeBytes) }).toString();
    const url = `${this.baseUrl}/files.getUploadURLExternal?${query}`;
    const place = await this.send(account, { method: 'GET', url }, signal);
    if (place.error !== null) return failureOfFile(place, place.error);
    const [link, uploadId] = [
      fileUrl(textIn(place.body, 'upload_url') ?? '', this.baseUrl),
      idIn(place.body, 'file_id'),
    ];
    const body = { mediaType: 'application/octet-stream', sizeBytes, bytes };
    const { status, retryAfterMs } = await this.calls.upload({ url: link.href, body }, signal);
    if (status === 200 && uploadId !== null) return { kind: 'uploaded', uploadId };
    return { kind: 'later', reason: `the platform took the file with status ${status}`, afterMs: retryAfterMs };
  }

  /** The body of a call that must succeed. @throws PlatformError */
  async result(account: ChannelAccount, method: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return resultOf(await this.call(account, method, body, signal));
  }

  private async send(
    { config: { bot_token, signing_secret } }: ChannelAccount,
    call: Pick<PlatformCall, 'method' | 'url' | 'body'>,
    signal: AbortSignal,
  ): Promise<SlackResponse> {
    const headers = { authorization: `Bearer ${String(bot_token)}` };
    const reply = await this.calls.call({ ...call, headers }, signal);
    return readResponse(reply, [bot_token, signing_secret].map(String));
  }
}

function resultOf({ body, error, retryAfterMs }: SlackResponse): JsonObject {
  if (error !== null) throw new PlatformError(error, true, retryAfterMs);
  return body;
}

function failureOfFile(
  { retryAfterMs }: SlackResponse,
  error: string,
): Extract<SendOutcome, { kind: 'later' | 'refused' }> {
  if ([...PASSING, ...UNCERTAIN].includes(error)) return { kind: 'later', reason: error, afterMs: retryAfterMs };
  const reason = error === 'missing_scope' ? NO_SENT_FILES : error;
  return { kind: 'refused', reason, isChatClosed: CLOSED.includes(error), movedTo: null };
}

/** The outcome of sending a file, whose message gets its id only later. */
export function outcomeOfFile(response: SlackResponse): SendOutcome {
  if (response.error === null) return { kind: 'sent', messageId: null };
  if (UNCERTAIN.includes(response.error)) return { kind: 'unknown', reason: response.error };
  return failureOfFile(response, response.error);
}

export function outcomeOf({ body, error, retryAfterMs }: SlackResponse): SendOutcome {
  if (error === null) {
    const messageId = idIn(body, 'ts');
    if (messageId !== null) return { kind: 'sent', messageId };
    return { kind: 'unknown', reason: 'the answer of the platform names no message' };
  }
  if (UNCERTAIN.includes(error)) return { kind: 'unknown', reason: error };
  if (PASSING.includes(error)) return { kind: 'later', reason: error, afterMs: retryAfterMs };
  return { kind: 'refused', reason: error, isChatClosed: CLOSED.includes(error), movedTo: null };
}

function readResponse({ status, body, retryAfterMs }: PlatformResponse, secrets: readonly string[]): SlackResponse {
  const words = textIn(body, 'error');
  if (status === 429) return { body: body ?? {}, error: 'ratelimited', retryAfterMs };
  const isOwn = body?.ok === true || (body?.ok === false && words !== null);
  if (!isOwn) throw new PlatformError(`the platform answered with status ${status} and not in its own format`, false);
  return { body: body ?? {}, error: body?.ok === true ? null : withoutSecrets(words ?? '', secrets), retryAfterMs };
}

/** Slack's recommendation. It truncates at 40,000, which this many characters never reach, even escaped. */
export const MAX_TEXT_LENGTH = 4_000;

/** The limit of a section block. */
export const MAX_QUESTION_LENGTH = 3_000;

export function methodOf(message: OutboundWords): string {
  return message.kind === 'edit' ? 'chat.update' : 'chat.postMessage';
}

/**
 * The body of `files.completeUploadExternal`, which shows a file (https://docs.slack.dev/reference/methods/files.completeUploadExternal/,
 * read 2026-11-26).
 */
export function fileBodyOf({ chat, uploadId: id, name: title, caption }: OutboundFile): JsonObject {
  return {
    files: [{ id, title }],
    channel_id: chat.chatId,
    ...(chat.topic === null ? {} : { thread_ts: chat.topic }),
    ...(caption === '' ? {} : { initial_comment: toMrkdwn(caption) }),
  };
}

export function bodyOf(message: OutboundWords): JsonObject {
  const { chatId: channel, topic } = message.chat;
  if (message.kind === 'edit') {
    const text = cutText(message.text, MAX_TEXT_LENGTH);
    // The sections take the place of the buttons' blocks; the text is only for notifications.
    return { channel, ts: message.messageId, text: cutBytes(toMrkdwn(text)), blocks: sectionsOf(text) };
  }
  const place = { channel, ...(topic === null ? {} : { thread_ts: topic }) };
  if (message.kind === 'text') return { ...place, text: toMrkdwn(message.text) };
  const text = cutText(message.text, MAX_QUESTION_LENGTH);
  return { ...place, text: toMrkdwn(text), blocks: [...sectionsOf(text), actionsOf(message.buttons)] };
}

function sectionsOf(text: string): JsonObject[] {
  return toSections(text).map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }));
}

/** `chat.update` refuses more with `msg_too_long` (https://github.com/openclaw/openclaw/issues/115027; read 2026-11-28). */
const MAX_UPDATE_BYTES = 4_000;

/** Cuts no character. */
function cutBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_UPDATE_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, MAX_UPDATE_BYTES), { stream: true });
}

function actionsOf(buttons: readonly Button[]): JsonObject {
  const elements = buttons.map(({ label, data }, i) => ({
    type: 'button',
    action_id: `button_${i}`,
    text: { type: 'plain_text', text: label },
    value: data,
  }));
  return { type: 'actions', elements };
}

/** The limit of a section block, in characters. */
const MAX_SECTION = 3_000;

/** Longer rows of backticks are not repeated: they would leave no room. */
const MAX_MARKER = 8;

/** Slack's mrkdwn (docs.slack.dev/messaging/formatting-message-text). */
const STYLE: MarkdownStyle = {
  text: escape,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  code: (raw) => `\`${escape(raw)}\``,
  link: (label, url) => {
    const address = escape(url).replaceAll('|', '%7C');
    return label.trim() === '' ? `<${address}>` : `<${address}|${label.replaceAll('|', '/')}>`;
  },
  heading: (inner) => `*${inner}*`,
  quote: (inner) => inner.replaceAll(/^/gm, '> '),
  codeBlock: (raw) => `\`\`\`\n${escape(raw)}\n\`\`\``,
};

export function toMrkdwn(markdown: string): string {
  return renderMarkdown(markdown, STYLE);
}

/** Splits the text into as many sections as its escapes need: an ampersand becomes five characters. */
export function toSections(markdown: string): string[] {
  const written = toMrkdwn(markdown);
  if (written.length <= MAX_SECTION) return [written];
  const at = middleOf(markdown);
  const [head, rest] = [markdown.slice(0, at), markdown.slice(at)];
  // Reopens an open code block in the next section: outside code, its characters would be markup.
  const fence = openFenceOf(head);
  const halves = fence === null ? [head, rest] : [`${head.replace(/\n$/, '')}\n${fence}`, `${fence}\n${rest}`];
  return halves.flatMap(toSections).filter((part) => part.trim() !== '');
}

function openFenceOf(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const { marker, language = '' } = FENCE.exec(line)?.groups ?? {};
    if (marker === undefined || marker.length > MAX_MARKER) continue;
    if (open === null) open = marker;
    else if (language === '' && marker.startsWith(open)) open = null;
  }
  return open;
}

/** A place near the middle: a line end if the second quarter has one, never within a surrogate pair. */
function middleOf(text: string): number {
  const half = Math.floor(text.length / 2);
  const line = text.lastIndexOf('\n', half) + 1;
  const at = line > half / 2 ? line : half;
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
