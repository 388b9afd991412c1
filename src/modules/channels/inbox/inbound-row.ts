import { digestOf } from '../../../common/digest.js';
import { newId } from '../../../common/ids.js';
import type {
  ChannelMessage,
  InboundStatus,
  MessagePayload,
  PressPayload,
} from '../messages/channel-message.entity.js';
import { cutText } from '../../../common/cut-text.js';
import type { InboundMessage, InboundPress, InboundUpdate } from '../platforms/inbound-update.js';
import { DROP_REASONS } from './inbox-delivery.js';
import { wordsOf } from '../messages/message-words.js';

export type NewMessage = Omit<ChannelMessage, 'seq'>;

/** Characters shown of an unproven message. */
const UNPROVEN_TEXT = 200;

const BLANK = {
  external_id: null,
  chat_id: null,
  topic: null,
  user_id: null,
  user_name: null,
  text: '',
  payload: null,
  reason: null,
  agent_name: null,
  thread_id: null,
  run_id: null,
  turn_at: null,
  since_seq: null,
  since_message: null,
  retry_asked_at: null,
  part_of: null,
  group_key: null,
  due_at: null,
  attempts: 0,
  is_told: false,
};

/** The row of an update that starts nothing, or whose outcome is not known yet. */
export function inboundRow(channelId: string, update: InboundUpdate, status: InboundStatus, nowMs: number): NewMessage {
  const times = { created_at: nowMs, updated_at: nowMs };
  const chat = 'chat' in update ? update.chat : null;
  return {
    ...BLANK,
    ...{ id: newId(), channel_id: channelId, direction: 'in', kind: update.kind, status, ...times },
    dedup_key: storableId(update.key),
    chat_id: chat === null ? null : storableId(chat.chatId),
    topic: chat?.topic ? storableId(chat.topic) : null,
    ...particularsOf(update),
  };
}

/** An update that starts nothing. Stored without its text if it does not address the bot. */
export function droppedRow(channelId: string, update: InboundUpdate, reason: string, nowMs: number): NewMessage {
  const row = { ...inboundRow(channelId, update, 'dropped', nowMs), reason: storable(reason) };
  if (reason === DROP_REASONS.unaddressed) return { ...row, text: '', payload: null };
  if (reason !== DROP_REASONS.unproven) return row;
  // Its key must not block a proven update with the same key.
  const text = row.text.slice(0, UNPROVEN_TEXT).toWellFormed();
  return { ...row, text, payload: null, dedup_key: `unproven:${digestOf(row.dedup_key)}` };
}

/** A text for a chat. @param key its purpose, so that it is queued once */
export function outboundText(source: NewMessage, key: string, text: string): NewMessage {
  const { channel_id, chat_id, topic, created_at, updated_at } = source;
  const place = { channel_id, chat_id, topic };
  const times = { created_at, updated_at };
  return {
    ...BLANK,
    ...place,
    ...times,
    id: newId(),
    direction: 'out',
    kind: 'text',
    dedup_key: key,
    text,
    status: 'queued',
  };
}

function particularsOf(update: InboundUpdate): Partial<NewMessage> {
  switch (update.kind) {
    case 'message':
      return messageParticulars(update);
    case 'press':
      return pressParticulars(update);
    case 'delivery':
      return { external_id: storableId(update.messageId), reason: storable(update.reason ?? update.state) };
    case 'ignored':
      return { ...personOf(update.user), reason: storable(`ignored: ${update.what}`).slice(0, 200) };
    case 'moved':
      return { reason: `moved to ${storableId(update.newChatId)}` };
    case 'membership':
      return { reason: update.isBlocked ? 'the person has blocked the bot' : 'the person has let the bot in again' };
  }
}

function messageParticulars(update: InboundMessage) {
  const { chat, user, messageId, text, attachments, occurredAtMs, button, part } = update;
  const { replyTo, forwarded } = update;
  const payload: MessagePayload = {
    ...{ is_private: chat.isPrivate, attachments, occurred_at: occurredAtMs, button },
    reply_to: replyTo && { ...replyTo, text: cutQuote(replyTo.text), quote: cutQuote(replyTo.quote) },
    forwarded: forwarded?.map((one) => ({ ...one, text: cutText(one.text, MAX_QUOTE) })),
    ...(text.trim() === '' ? { is_wordless: true } : {}),
    ...(part?.isCut ? { is_cut: true } : {}),
  };
  return {
    ...{ ...personOf(user), external_id: storableId(messageId), text: storable(wordsOf(update)) },
    payload: JSON.stringify(payload),
  };
}

function cutQuote(text: string | null): string | null {
  return text === null ? null : cutText(text, MAX_QUOTE);
}

function pressParticulars({ chat, user, messageId, pressId, data }: InboundPress) {
  const payload: PressPayload = { is_private: chat.isPrivate, press_id: pressId, data };
  return {
    ...{ ...personOf(user), external_id: messageId === null ? null : storableId(messageId) },
    payload: JSON.stringify(payload),
  };
}

function personOf(user: { id: string; name: string | null } | null) {
  return { user_id: user === null ? null : storableId(user.id), user_name: storableName(user?.name ?? null) };
}

/** The limit of a quoted text, in UTF-16 units. */
const MAX_QUOTE = 4_000;

const MAX_ID = 512;
const MAX_NAME = 200;

/** The text without what a database cannot hold: U+0000 and lone surrogates become U+FFFD. */
export function storable(text: string): string {
  return /[\0\p{Cs}]/u.test(text) ? text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFD') : text;
}

/** A platform's id; its digest if it is too long for an index, which no real id is. */
export function storableId(id: string): string {
  const clean = storable(id);
  return clean.length <= MAX_ID ? clean : `digest:${digestOf(clean)}`;
}

/** A person's name, cut to a readable length. */
export function storableName(name: string | null): string | null {
  return name === null ? null : [...storable(name)].slice(0, MAX_NAME).join('');
}
