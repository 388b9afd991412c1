import { idIn, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { Attachment, Chat, ForwardedMessage, InboundUpdate, RepliedMessage } from '../inbound-update.js';
import { keyOf } from './slack.config.js';

/** Subtypes of messages that people write; all others report changes. */
const WRITTEN = ['file_share', 'thread_broadcast', 'me_message'];

/** Reads one event callback. `botId` is the bot's user id; null if neither the profile nor the event has it. */
export function eventOf(callback: JsonObject, profileBotId: string | null): InboundUpdate[] {
  const eventId = idIn(callback, 'event_id');
  const event = objectIn(callback, 'event');
  if (!event || eventId === null) return [];
  const botId = profileBotId ?? authorizedBot(callback);
  const type = textIn(event, 'type') ?? 'unknown';
  const isMessage = type === 'message' || type === 'app_mention';
  const what = isMessage ? reasonToIgnore(event, type, botId) : type;
  const message = what === null ? messageOf(event, type, botId) : null;
  return [message ?? ignored(event, `event:${eventId}`, what ?? type)];
}

/** The user that Slack delivers the event to: the bot, if the app is installed as one. */
function authorizedBot(callback: JsonObject): string | null {
  const bot = objectsIn(callback, 'authorizations').find((authorization) => authorization.is_bot === true);
  return idIn(bot ?? null, 'user_id');
}

function reasonToIgnore(event: JsonObject, type: string, botId: string | null): string | null {
  const subtype = textIn(event, 'subtype');
  const user = idIn(event, 'user');
  // The bot's own messages often have no subtype.
  if (idIn(event, 'bot_id') !== null || objectIn(event, 'bot_profile') || subtype === 'bot_message')
    return 'bot_message';
  if (user !== null && user === botId) return 'bot_message';
  if (subtype !== null && !WRITTEN.includes(subtype)) return subtype;
  const isGroup = !isDirect(event);
  // It may be a mention of the bot, which also arrives as `app_mention`; that one must not be taken for a duplicate.
  if (type === 'message' && isGroup && botId === null && mentionsAnybody(textIn(event, 'text') ?? '')) return 'message';
  return null;
}

function messageOf(event: JsonObject, type: string, botId: string | null): InboundUpdate | null {
  const [chat, user, ts] = [chatOf(event), idIn(event, 'user'), idIn(event, 'ts')];
  const text = textIn(event, 'text') ?? '';
  const attachments = objectsIn(event, 'files').map(fileOf);
  const forwarded = sharesIn(event);
  if (!chat || user === null || ts === null) return null;
  if (text === '' && attachments.length === 0 && forwarded.length === 0) return null;
  const isAddressed =
    chat.isPrivate ||
    type === 'app_mention' ||
    (botId !== null && (mentions(text, botId) || idIn(event, 'parent_user_id') === botId));
  return {
    kind: 'message',
    // A mention in a channel that the app also reads arrives twice, under two event ids.
    key: keyOf('message', chat.chatId, ts),
    occurredAtMs: millisecondsOf(ts),
    chat,
    user: { id: user, name: userNameOf(event) },
    messageId: ts,
    text: toPlain(withoutMention(text, type === 'app_mention' ? (botId ?? firstMention(text)) : botId)),
    attachments,
    replyTo: parentOf(event, chat, botId),
    ...(forwarded.length > 0 ? { forwarded } : {}),
    isAddressed,
  };
}

/**
 * The message that started the thread: `thread_ts`, by `parent_user_id` (https://docs.slack.dev/reference/events/message; read 2026-11-26
 * as libraries quote it).
 */
function parentOf(event: JsonObject, { topic }: Chat, botId: string | null): RepliedMessage | undefined {
  if (topic === null) return undefined;
  const id = idIn(event, 'parent_user_id');
  const isOwn = id === null || botId === null ? null : id === botId;
  const author = id === null ? null : { id, name: null };
  return { messageId: topic, isHere: true, author, isOwn, text: null, quote: null, attachments: [] };
}

/** A message as the Web API returns it, when it is looked up as the target of a reply. */
export function quotedOf(message: JsonObject, botId: string | null): RepliedMessage {
  const id = idIn(message, 'user') ?? idIn(message, 'bot_id');
  const name = userNameOf(message) ?? textIn(message, 'username');
  return {
    messageId: idIn(message, 'ts'),
    isHere: true,
    author: id === null ? null : { id, name },
    isOwn: botId === null || id === null ? null : id === botId,
    text: toPlain(textIn(message, 'text') ?? ''),
    quote: null,
    attachments: objectsIn(message, 'files').map(fileOf),
  };
}

const MAX_SHARES = 10;
const MAX_SHARE_LEVELS = 3;

/**
 * Messages shared into this one: attachments with `is_share`. Link previews have none (the fields are those of `attachments` in
 * https://docs.slack.dev/tools/java-slack-sdk, as others quote its recorded events, 2026-11-26; the events reference does not list them).
 */
function sharesIn(event: JsonObject, level = 1): ForwardedMessage[] {
  const shares = objectsIn(event, 'attachments').filter(({ is_share }) => is_share === true);
  return shares
    .slice(0, MAX_SHARES)
    .flatMap((share) => [shareOf(share), ...(level < MAX_SHARE_LEVELS ? sharesIn(share, level + 1) : [])])
    .slice(0, MAX_SHARES);
}

function shareOf(share: JsonObject): ForwardedMessage {
  const [author, chat] = [textIn(share, 'author_name'), textIn(share, 'channel_name')];
  const [authorId, chatId] = [idIn(share, 'author_id'), idIn(share, 'channel_id')];
  const url = textIn(share, 'from_url') ?? '';
  return {
    author: authorId === null && author === null ? null : { id: authorId, name: author },
    chat: chatId === null && chat === null ? null : { id: chatId, name: chat && `#${chat.replace(/^#/, '')}` },
    text: toPlain(textIn(share, 'text') ?? ''),
    sentAtMs: millisecondsOf(idIn(share, 'ts')),
    url: /^https:\/\/\S+$/.test(url) ? url : null,
    attachments: objectsIn(share, 'files').map(fileOf),
  };
}

function firstMention(text: string): string | null {
  return /^\s*<@([A-Z0-9]+)/.exec(text)?.[1] ?? null;
}

/** Slack gives a person's name only in some events. */
function userNameOf(event: JsonObject): string | null {
  const profile = objectIn(event, 'user_profile');
  return textIn(profile, 'display_name') || textIn(profile, 'real_name') || null;
}

/** A thread is a topic of its own; the message that starts it is in the channel. */
export function chatOf(event: JsonObject): Chat | null {
  const chatId = idIn(event, 'channel') ?? idIn(objectIn(event, 'item'), 'channel');
  if (chatId === null) return null;
  const threadTs = idIn(event, 'thread_ts');
  return { chatId, topic: threadTs === idIn(event, 'ts') ? null : threadTs, isPrivate: isDirect(event) };
}

function isDirect(event: JsonObject): boolean {
  const type = textIn(event, 'channel_type');
  return type === null ? (idIn(event, 'channel') ?? '').startsWith('D') : type === 'im';
}

/** A file object (https://docs.slack.dev/reference/objects/file-object; read 2026-11-26 as libraries quote it). */
function fileOf(file: JsonObject): Attachment {
  const mediaType = textIn(file, 'mimetype');
  const kind = /^(image|audio|video)\//.exec(mediaType ?? '')?.[1] ?? 'document';
  return {
    kind,
    id: idIn(file, 'id'),
    name: textIn(file, 'name'),
    mediaType,
    sizeBytes: numberIn(file, 'size'),
    description: textIn(file, 'title'),
  };
}

function ignored(event: JsonObject, key: string, what: string): InboundUpdate {
  const id = idIn(event, 'user') ?? idIn(objectIn(event, 'user'), 'id');
  return {
    kind: 'ignored',
    key,
    occurredAtMs: millisecondsOf(idIn(event, 'event_ts') ?? idIn(event, 'ts')),
    what: /^[a-z_]{1,64}$/.test(what) ? what : 'unknown',
    chat: chatOf(event),
    user: id === null ? null : { id, name: userNameOf(event) },
  };
}

/** Milliseconds of a `ts`: seconds with six decimals. */
export function millisecondsOf(ts: string | null): number | null {
  return ts !== null && /^\d{9,11}(\.\d{1,9})?$/.test(ts) ? Math.floor(Number(ts) * 1000) : null;
}

/** Slack's markup: `<@U1|name>`, `<#C1|name>`, `<!here>`, `<https://...|label>`. */
const MARK = /<([@#!]?)([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g;

/** The text as the person saw it. */
export function toPlain(text: string): string {
  return unescape(
    text.replaceAll(MARK, (_all, sign: string, target: string, label?: string) => plainMark(sign, target, label)),
  );
}

/** The text without a leading mention of the bot. */
export function withoutMention(text: string, botId: string | null): string {
  const mention = /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>[\s,:]*/.exec(text);
  return mention && mention[1] === botId ? text.slice(mention[0].length) : text;
}

export function mentions(text: string, userId: string): boolean {
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);
}

export function mentionsAnybody(text: string): boolean {
  return /<@[UW][A-Z0-9]+[>|]/.test(text);
}

function plainMark(sign: string, target: string, label: string | undefined): string {
  if (sign === '@') return `@${label || target}`;
  if (sign === '#') return `#${label || target}`;
  if (sign === '!') return label || `@${target.split('^')[0]}`;
  const address = target.replace(/^mailto:|^tel:/, '');
  // In a link that Slack created itself, label and address are the same.
  return !label || address.endsWith(label) ? address : `${label} (${address})`;
}

/** The ampersand comes last, or `&amp;lt;` would become a bracket. */
function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
