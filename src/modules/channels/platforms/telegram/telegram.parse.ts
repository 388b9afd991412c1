import { parseExactJson } from '../../../../common/exact-json.js';
import {
  idIn,
  objectIn,
  objectOf,
  textIn,
  type JsonObject,
  numberIn,
  objectsIn,
  secondsIn,
} from '../../../../common/json-fields.js';
import type {
  Attachment,
  Author,
  Chat,
  ChatUser,
  ForwardedMessage,
  InboundUpdate,
  PartSigns,
  RepliedMessage,
} from '../inbound-update.js';
import { MAX_TEXT_LENGTH } from './telegram.calls.js';
import type { TelegramBot } from './telegram.config.js';

/** The kinds of update to request; all others are ignored. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;

/** Statuses of a bot that has left a chat: blocked in a private one, removed from a group. */
const OUT = ['kicked', 'left'];

/** The update in one webhook request; empty if there is none. */
export function parseUpdate(rawBody: Buffer, bot: TelegramBot): InboundUpdate[] {
  const update = objectOf(parseExactJson(rawBody));
  return update ? readUpdate(update, bot) : [];
}

/** Reads one update. Its kind is the name of its only member besides `update_id`; Telegram keeps adding kinds. */
export function readUpdate(update: JsonObject, bot: TelegramBot): InboundUpdate[] {
  const id = idIn(update, 'update_id');
  if (id === null || !/^-?\d+$/.test(id)) return [];
  const key = `update:${id}`;
  const what = Object.keys(update).find((name) => name !== 'update_id' && objectIn(update, name)) ?? 'unknown';
  const content = objectIn(update, what) ?? {};
  if (what === 'message') return messageOf(content, key, bot);
  if (what === 'callback_query') return [pressOf(content, key)];
  if (what === 'my_chat_member') return [membershipOf(content, key)];
  return [ignored(content, key, what)];
}

/** The author is the person who pressed: the message with the button is the bot's own. */
function pressOf(query: JsonObject, key: string): InboundUpdate {
  const message = objectIn(query, 'message');
  const [chat, user] = [chatOf(message), userOf(objectIn(query, 'from'))];
  const [pressId, data] = [idIn(query, 'id'), textIn(query, 'data')];
  // Game buttons have no data; buttons of inline messages have no chat.
  if (!chat || !user || pressId === null || data === null) {
    return { kind: 'ignored', key, occurredAtMs: null, what: 'callback_query', chat, user };
  }
  // A message that is no longer accessible has date 0, but still has its id.
  const messageId = idIn(message, 'message_id');
  return { kind: 'press', key, occurredAtMs: null, chat, user, messageId, pressId, data };
}

function membershipOf(change: JsonObject, key: string): InboundUpdate {
  const chat = chatOf(change);
  const member = objectIn(change, 'new_chat_member');
  const status = textIn(member, 'status');
  if (!chat || status === null) return ignored(change, key, 'my_chat_member');
  const isBlocked = OUT.includes(status) || (status === 'restricted' && member?.is_member === false);
  return { kind: 'membership', key, occurredAtMs: secondsIn(change, 'date'), chat, isBlocked };
}

function ignored(content: JsonObject, key: string, what: string): InboundUpdate {
  const user = userOf(objectIn(content, 'from') ?? objectIn(content, 'user'));
  const name = /^[a-z_]{1,64}$/.test(what) ? what : 'unknown';
  return { kind: 'ignored', key, occurredAtMs: secondsIn(content, 'date'), what: name, chat: chatOf(content), user };
}

/** Members that any message may have. In a message without content, any other member names the kind of service message. */
const ENVELOPE = new Set(
  `message_id message_thread_id direct_messages_topic from sender_chat sender_boost_count sender_business_bot sender_tag date
  business_connection_id chat forward_origin is_topic_message is_automatic_forward reply_to_message external_reply quote
  reply_to_story via_bot edit_date has_protected_content is_from_offline author_signature link_preview_options`.split(
    /\s+/,
  ),
);

/** Telegram's own account; it copies the posts of a linked channel into its group. */
const TELEGRAM_USER = '777000';

export function chatOf(message: JsonObject | null): Chat | null {
  const chat = objectIn(message, 'chat');
  const chatId = idIn(chat, 'id');
  if (chatId === null) return null;
  // In groups without topics, plain replies carry a thread id too, but nothing can be sent to it.
  const topic = message?.is_topic_message === true ? idIn(message, 'message_thread_id') : null;
  return { chatId, topic, isPrivate: chat?.type === 'private' };
}

export function userOf(user: JsonObject | null): ChatUser | null {
  const id = idIn(user, 'id');
  if (id === null) return null;
  const names = [textIn(user, 'first_name'), textIn(user, 'last_name')].filter((name) => name);
  return { id, name: names.join(' ') || textIn(user, 'username') || null };
}

/**
 * The author. People who write as a group or a channel all share one Telegram account (1087968824, 136817688), so their author is the chat
 * that they write as.
 */
function authorOf(message: JsonObject): ChatUser | null {
  const as = objectIn(message, 'sender_chat');
  const id = idIn(as, 'id');
  return id === null ? userOf(objectIn(message, 'from')) : { id, name: textIn(as, 'title') ?? textIn(as, 'username') };
}

export function messageOf(message: JsonObject, key: string, bot: TelegramBot): InboundUpdate[] {
  const [chat, user] = [chatOf(message), authorOf(message)];
  const occurredAtMs = secondsIn(message, 'date');
  const what = reasonToIgnore(message, bot);
  const newChatId = idIn(message, 'migrate_to_chat_id');
  if (chat && newChatId !== null) return [{ kind: 'moved', key, occurredAtMs, chat, newChatId }];
  const messageId = idIn(message, 'message_id');
  if (what !== null || !chat || !user || messageId === null) {
    return [{ kind: 'ignored', key, occurredAtMs, what: what ?? 'message', chat, user }];
  }
  const { text, isAddressed } = readText(message, bot);
  const attachments = attachmentsOf(message);
  return [
    {
      kind: 'message',
      key,
      occurredAtMs,
      chat,
      user,
      messageId,
      text,
      attachments,
      replyTo: replyOf(message, chat, bot),
      forwarded: forwardsOf(message, text, attachments),
      part: partOf(message),
      isAddressed: chat.isPrivate || isAddressed,
    },
  ];
}

function reasonToIgnore(message: JsonObject, bot: TelegramBot): string | null {
  const from = objectIn(message, 'from');
  const fromId = idIn(from, 'id');
  if (message.is_automatic_forward === true || fromId === TELEGRAM_USER) return 'automatic_forward';
  const isPersonInDisguise = objectIn(message, 'sender_chat') !== null;
  if (fromId === bot.id || (from?.is_bot === true && !isPersonInDisguise)) return 'bot_message';
  const hasText = textIn(message, 'text') !== null || textIn(message, 'caption') !== null;
  if (hasText || attachmentsOf(message).length > 0) return null;
  return Object.keys(message).find((name) => !ENVELOPE.has(name) && /^[a-z_]{1,64}$/.test(name)) ?? 'message';
}

interface Entity {
  type: unknown;
  from: number;
  /** The text that the entity covers. */
  text: string;
  user: string | null;
}

/** The text without what only calls the bot, and whether it calls the bot. Telegram counts offsets in UTF-16 units, as JavaScript does. */
function readText(message: JsonObject, bot: TelegramBot): { text: string; isAddressed: boolean } {
  const isCaption = textIn(message, 'text') === null;
  const text = (isCaption ? rawText(message, 'caption') : rawText(message, 'text')) ?? '';
  const entities = objectsIn(message, isCaption ? 'caption_entities' : 'entities').map((entity) =>
    entityOf(entity, text),
  );
  const mentions = entities.filter((entity) => isMention(entity, bot));
  const command = entities.find(({ type, from }) => type === 'bot_command' && from === 0);
  const isOurCommand = command !== undefined && isOurs(command.text, bot);
  return {
    text: storable(isOurCommand ? withoutBotName(text, command) : withoutMention(text, mentions)),
    isAddressed: mentions.length > 0 || isOurCommand || isReplyToBot(message, bot),
  };
}

function entityOf(entity: JsonObject, text: string): Entity {
  const from = numberIn(entity, 'offset') ?? -1;
  const covered = from < 0 ? '' : text.slice(from, from + Math.max(0, numberIn(entity, 'length') ?? 0));
  return { type: entity.type, from, text: covered, user: idIn(objectIn(entity, 'user'), 'id') };
}

function isMention({ type, text, user }: Entity, bot: TelegramBot): boolean {
  if (type === 'text_mention') return user === bot.id;
  return type === 'mention' && bot.userName !== null && text.toLowerCase() === `@${bot.userName}`;
}

/** A command without a name addresses every bot in the chat. */
function isOurs(command: string, bot: TelegramBot): boolean {
  const [, name] = command.toLowerCase().split('@');
  return name === undefined || name === bot.userName;
}

function withoutBotName(text: string, command: Entity): string {
  return command.text.split('@')[0]! + text.slice(command.text.length);
}

function withoutMention(text: string, mentions: readonly Entity[]): string {
  const first = mentions.find(({ from }) => text.slice(0, from).trim() === '');
  return first ? text.slice(first.from + first.text.length).replace(/^[\s,:]+/, '') : text;
}

/**
 * The message that this one replies to: `reply_to_message` in the same chat and topic, `external_reply` elsewhere, `quote.text` of either
 * (https://core.telegram.org/bots/api#message, #externalreplyinfo, #textquote; read 2026-11-26 in aiogram's copy). In a topic, a message
 * that replies to nothing arrives as a reply to the topic's opening.
 */
function replyOf(message: JsonObject, chat: Chat, bot: TelegramBot): RepliedMessage | undefined {
  const [reply, external] = [objectIn(message, 'reply_to_message'), objectIn(message, 'external_reply')];
  const quote = textIn(objectIn(message, 'quote'), 'text');
  if (reply && !objectIn(reply, 'forum_topic_created')) {
    return {
      messageId: idIn(reply, 'message_id'),
      isHere: true,
      author: authorOf(reply),
      isOwn: idIn(objectIn(reply, 'from'), 'id') === bot.id,
      text: textIn(reply, 'text') ?? textIn(reply, 'caption') ?? '',
      quote,
      attachments: attachmentsOf(reply),
    };
  }
  if (!external) return undefined;
  const origin = originOf(objectIn(external, 'origin'));
  return {
    messageId: idIn(external, 'message_id'),
    isHere: idIn(objectIn(external, 'chat'), 'id') === chat.chatId,
    author: origin.author ?? origin.chat,
    isOwn: origin.author === null ? null : origin.author.id === bot.id,
    text: null,
    quote,
    attachments: attachmentsOf(external),
  };
}

/**
 * A forwarded message is the message itself; `forward_origin` names its author (https://core.telegram.org/bots/api#message; read 2026-11-26
 * in aiogram's copy).
 */
function forwardsOf(
  message: JsonObject,
  text: string,
  attachments: readonly Attachment[],
): ForwardedMessage[] | undefined {
  const origin = objectIn(message, 'forward_origin');
  return origin ? [{ ...originOf(origin), text, attachments }] : undefined;
}

/** Telegram Desktop splits a long paste between this length and the maximum message length, preferably at blank lines. */
const LONG_TEXT = 2048;

/** All parts of an album share one `media_group_id` (https://core.telegram.org/bots/api#message; read 2026-11-26 in aiogram's copy). */
function partOf(message: JsonObject): PartSigns | undefined {
  if (objectIn(message, 'forward_origin')) return { key: 'forward' };
  const album = idIn(message, 'media_group_id');
  if (album !== null) return { key: `album:${album}` };
  const { length } = rawText(message, 'text') ?? '';
  if (length <= LONG_TEXT) return undefined;
  return { key: 'text', ...(length >= MAX_TEXT_LENGTH ? { isCut: true } : {}) };
}

/**
 * Of type `user`, `hidden_user`, `chat` or `channel` (https://core.telegram.org/bots/api#messageorigin; read 2026-11-26 in aiogram's copy).
 */
function originOf(origin: JsonObject | null): Pick<ForwardedMessage, 'author' | 'chat' | 'sentAtMs' | 'url'> {
  const chat = objectIn(origin, 'sender_chat') ?? objectIn(origin, 'chat');
  const name = textIn(origin, 'sender_user_name') ?? textIn(origin, 'author_signature');
  return {
    author: userOf(objectIn(origin, 'sender_user')) ?? (name === null ? null : { id: null, name }),
    chat: chat && placeNameOf(chat),
    sentAtMs: secondsIn(origin, 'date'),
    url: postUrlOf(chat, idIn(origin, 'message_id')),
  };
}

function placeNameOf(chat: JsonObject): Author {
  return { id: idIn(chat, 'id'), name: textIn(chat, 'title') ?? textIn(chat, 'username') };
}

/** Posts of public channels have an address (https://core.telegram.org/api/links#message-links; read 2026-11-26 in aiogram's copy). */
function postUrlOf(chat: JsonObject | null, messageId: string | null): string | null {
  const name = textIn(chat, 'username') ?? '';
  return messageId !== null && /^\w{1,64}$/.test(name) ? `https://t.me/${name}/${messageId}` : null;
}

/** In a topic that the bot opened, every message replies to the service message that opened it. */
function isReplyToBot(message: JsonObject, bot: TelegramBot): boolean {
  const reply = objectIn(message, 'reply_to_message');
  return idIn(objectIn(reply, 'from'), 'id') === bot.id && objectIn(reply, 'forum_topic_created') === null;
}

/** Unchanged: entity offsets refer to the original text. */
function rawText(message: JsonObject, name: string): string | null {
  const value = message[name];
  return typeof value === 'string' ? value : null;
}

function storable(text: string): string {
  return textIn({ text }, 'text') ?? '';
}

/**
 * Members that hold one file (https://core.telegram.org/bots/api#message; read 2026-11-26 in aiogram's copy), and the attachment kind of
 * each.
 */
const FILES: readonly (readonly [member: string, kind: string])[] = [
  ['animation', 'animation'],
  ['document', 'document'],
  ['video', 'video'],
  ['video_note', 'video'],
  ['audio', 'audio'],
  ['voice', 'audio'],
  ['sticker', 'sticker'],
];

/** Members that carry words instead of a file, and the field with those words. */
const WORDS: readonly (readonly [member: string, words: string])[] = [
  ['poll', 'question'],
  ['dice', 'emoji'],
  ['game', 'title'],
  ['checklist', 'title'],
  ['story', 'id'],
  ['paid_media', 'star_count'],
];

/** What came with a message besides its text. */
export function attachmentsOf(message: JsonObject): Attachment[] {
  // A GIF arrives as `animation` and, for old clients, again as `document`.
  const files = FILES.filter(([member]) => member !== 'document' || !objectIn(message, 'animation')).map(
    ([member, kind]) => fileOf(objectIn(message, member), kind, member),
  );
  const words = WORDS.map(([member, words]) => wordsOf(objectIn(message, member), member, words));
  // Sizes of one picture, the largest last.
  const photo = fileOf(objectsIn(message, 'photo').at(-1) ?? null, 'image');
  return [photo, ...files, placeOf(message), contactOf(objectIn(message, 'contact')), ...words].filter(
    (attachment) => attachment !== null,
  );
}

function fileOf(file: JsonObject | null, kind: string, member: string = kind): Attachment | null {
  if (!file) return null;
  return {
    kind,
    id: idIn(file, 'file_id'),
    name: textIn(file, 'file_name') ?? textIn(file, 'title'),
    mediaType: textIn(file, 'mime_type'),
    sizeBytes: numberIn(file, 'file_size'),
    description: member === 'voice' ? voiceWords(file) : textIn(file, 'emoji'),
  };
}

/** `duration` is in seconds (https://core.telegram.org/bots/api#voice; read 2026-11-26 in aiogram's copy). */
function voiceWords(voice: JsonObject): string {
  const seconds = numberIn(voice, 'duration');
  return seconds !== null && Number.isSafeInteger(seconds) && seconds >= 0
    ? `voice message, ${seconds} s`
    : 'voice message';
}

/** A venue's location also arrives as a member of its own. */
function placeOf(message: JsonObject): Attachment | null {
  const venue = objectIn(message, 'venue');
  const location = objectIn(venue, 'location') ?? objectIn(message, 'location');
  if (!location) return null;
  const place = `${numberIn(location, 'latitude')}, ${numberIn(location, 'longitude')}`;
  const address = textIn(venue, 'address');
  return described('location', address ? `${place}, ${address}` : place, textIn(venue, 'title'));
}

function contactOf(contact: JsonObject | null): Attachment | null {
  if (!contact) return null;
  const names = [textIn(contact, 'first_name'), textIn(contact, 'last_name')].filter((name) => name !== null);
  return described('contact', textIn(contact, 'phone_number'), names.join(' ') || null);
}

function wordsOf(value: JsonObject | null, kind: string, member: string): Attachment | null {
  return value && described(kind, textIn(value, member) ?? numberIn(value, member)?.toString() ?? null, null);
}

function described(kind: string, description: string | null, name: string | null): Attachment {
  return { kind, id: null, name, mediaType: null, sizeBytes: null, description };
}
