import { parseExactJson } from '../../../../common/exact-json.js';
import {
  idIn,
  objectIn,
  objectOf,
  objectsIn,
  secondsIn,
  textIn,
  type JsonObject,
  numberIn,
} from '../../../../common/json-fields.js';
import type {
  Attachment,
  Chat,
  ChatUser,
  ChosenButton,
  ForwardedMessage,
  InboundDelivery,
  InboundMessage,
  InboundUpdate,
  RepliedMessage,
} from '../inbound-update.js';
import { groupChatId, pressIdOf } from './whatsapp.config.js';
import { OWN_BUTTON } from '../outbound-message.js';

/** Other statuses (deleted, warning, played) change nothing that is stored. */
const STATES = ['sent', 'delivered', 'read', 'failed'] as const;

/** The content of a batch for one number, in order. A batch may concern several numbers, but each change only one. */
export function parseBatch(rawBody: Buffer, phoneNumberId: string): InboundUpdate[] {
  const body = objectOf(parseExactJson(rawBody));
  return objectsIn(body, 'entry')
    .flatMap((entry) => objectsIn(entry, 'changes'))
    .flatMap((change) => readChange(change, phoneNumberId));
}

function readChange(change: JsonObject, phoneNumberId: string): InboundUpdate[] {
  const value = objectIn(change, 'value');
  const metadata = objectIn(value, 'metadata');
  if (!value || idIn(metadata, 'phone_number_id') !== phoneNumberId) return [];
  const field = textIn(change, 'field') ?? 'unknown';
  if (field !== 'messages') return otherField(value, field);
  const business = digitsOf(textIn(metadata, 'display_phone_number'));
  const contacts = objectsIn(value, 'contacts');
  return [
    ...objectsIn(value, 'messages').flatMap((message) => messageOf(message, { contacts, business })),
    ...objectsIn(value, 'statuses')
      .map(statusOf)
      .filter((update) => update !== null),
  ];
}

/** Echoes of messages sent from the business's own phone, synchronised history, and future fields. */
function otherField(value: JsonObject, field: string): InboundUpdate[] {
  const what = /^[a-z_]{1,64}$/.test(field) ? field : 'unknown';
  const items = [...objectsIn(value, 'message_echoes'), ...objectsIn(value, 'messages')];
  return items.flatMap((item) => {
    const id = idIn(item, 'id');
    if (id === null) return [];
    return [
      {
        kind: 'ignored',
        key: `${what}:${id}`,
        occurredAtMs: secondsIn(item, 'timestamp'),
        what,
        chat: null,
        user: null,
      },
    ];
  });
}

function statusOf(status: JsonObject): InboundUpdate | null {
  const [messageId, state] = [idIn(status, 'id'), textIn(status, 'status')];
  if (messageId === null || state === null) return null;
  const key = `status:${messageId}:${state.slice(0, 64)}`;
  const base = { key, occurredAtMs: secondsIn(status, 'timestamp'), chat: recipientOf(status) };
  const known = STATES.find((candidate) => candidate === state);
  if (known === undefined) return { kind: 'ignored', ...base, what: 'status', user: null };
  return { kind: 'delivery', ...base, messageId, state: known, reason: reasonOf(status, known) };
}

function reasonOf(status: JsonObject, state: InboundDelivery['state']): string | null {
  if (state !== 'failed') return null;
  const [error] = objectsIn(status, 'errors');
  const details = textIn(objectIn(error ?? null, 'error_data'), 'details');
  const words = details ?? textIn(error ?? null, 'message') ?? textIn(error ?? null, 'title') ?? 'no reason was given';
  const code = idIn(error ?? null, 'code');
  return (code === null ? words : `${code}: ${words}`).slice(0, 500).toWellFormed();
}

function recipientOf(status: JsonObject): Chat | null {
  const recipient = idIn(status, 'recipient_id') ?? idIn(status, 'recipient_user_id');
  if (recipient === null) return null;
  const isGroup = status.recipient_type === 'group';
  return { chatId: isGroup ? groupChatId(recipient) : recipient, topic: null, isPrivate: !isGroup };
}

/** Types of messages that people write; all others are ignored unless they are a press or a move. */
const WRITTEN = ['text', 'image', 'audio', 'video', 'document', 'sticker', 'location', 'contacts', 'order'];

/** People send several of these at once; each arrives as its own message. */
const SENT_TOGETHER = ['image', 'video', 'document'];

/** The member that holds the text of a written message; for types not listed here it is `caption`. */
const TEXT_MEMBERS: Readonly<Record<string, string>> = { text: 'body' };

/** A choice: a button, a list row or a form; see `buttonOf`. */
const CHOSEN = ['button', 'interactive'];

/** What a message needs to know of its batch. */
export interface Surroundings {
  contacts: readonly JsonObject[];
  /** The business's own number, digits only; empty if it is not given. */
  business: string;
}

export function digitsOf(phoneNumber: string | null): string {
  return phoneNumber?.replaceAll(/\D/g, '') ?? '';
}

/** Reads one message; empty if it has no readable id. */
export function messageOf(message: JsonObject, surroundings: Surroundings): InboundUpdate[] {
  const id = idIn(message, 'id');
  if (id === null) return [];
  const rawType = textIn(message, 'type') ?? 'unknown';
  const type = /^[a-z_]{1,64}$/.test(rawType) ? rawType : 'unknown';
  const user = userOf(message, surroundings.contacts);
  const chat = user && chatOf(message, user);
  const isEcho = user !== null && user.id === surroundings.business;
  const known = chat && user && !isEcho ? readType({ id, type, message, chat, user }, surroundings.business) : null;
  const what = isEcho ? 'echo' : type;
  const base = { occurredAtMs: secondsIn(message, 'timestamp') };
  if (known) return [known];
  // https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/unsupported, read 2026-11-26
  const isLost = what === 'unsupported' && chat?.isPrivate === true ? ({ isLost: true } as const) : {};
  return [{ kind: 'ignored', key: `${what}:${id}`, ...base, what, chat, user, ...isLost }];
}

interface Known {
  id: string;
  type: string;
  message: JsonObject;
  chat: Chat;
  user: ChatUser;
}

function readType(known: Known, business: string): InboundUpdate | null {
  if (known.type === 'system') return movedOf(known);
  if (WRITTEN.includes(known.type)) return written(known, business);
  const button = CHOSEN.includes(known.type) ? buttonOf(known.message, known.type) : null;
  return button && (OWN_BUTTON.test(button.id) ? pressOf(known, button.id) : written(known, business, button));
}

function written(
  { id, type, message, chat, user }: Known,
  business: string,
  button?: ChosenButton,
): InboundMessage | null {
  const content = objectIn(message, type);
  const text = button?.title ?? textIn(content, TEXT_MEMBERS[type] ?? 'caption') ?? '';
  const attachments = attachmentsOf(message, type);
  if (text === '' && attachments.length === 0) return null;
  const mention = new RegExp(`^\\s*@${business}(?!\\d)[\\s,:]*`);
  const forwarded = forwardsOf(message, text, attachments);
  return {
    kind: 'message',
    key: `message:${id}`,
    occurredAtMs: secondsIn(message, 'timestamp'),
    chat,
    user,
    messageId: id,
    text: business === '' ? text : text.replace(mention, ''),
    attachments,
    replyTo: replyOf(message, business),
    forwarded,
    button,
    part: forwarded ? { key: 'forward' } : SENT_TOGETHER.includes(type) ? { key: type } : undefined,
    isAddressed: chat.isPrivate || button !== undefined || isAddressed(text, message, business),
  };
}

/**
 * The message that this one replies to; `context` has only its `id` and `from`
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages; read 2026-11-26 as libraries
 * quote it).
 */
function replyOf(message: JsonObject, business: string): RepliedMessage | undefined {
  const context = objectIn(message, 'context');
  const [messageId, from] = [idIn(context, 'id'), idIn(context, 'from')];
  if (messageId === null) return undefined;
  const isOwn = business === '' || from === null ? null : digitsOf(from) === business;
  const author = from === null ? null : { id: from, name: null };
  return { messageId, isHere: true, author, isOwn, text: null, quote: null, attachments: [] };
}

/** WhatsApp says only `context.forwarded`, or `frequently_forwarded` beyond five times (same page). */
function forwardsOf(
  message: JsonObject,
  text: string,
  attachments: readonly Attachment[],
): ForwardedMessage[] | undefined {
  const context = objectIn(message, 'context');
  if (context?.forwarded !== true && context?.frequently_forwarded !== true) return undefined;
  return [{ author: null, chat: null, text, sentAtMs: null, url: null, attachments }];
}

/** Longer forms are not read. */
const MAX_FORM = 32_000;
const MAX_FORM_DEPTH = 8;

/**
 * The choice: `button` is a template's quick reply; `interactive` is a reply button, a list row or a completed flow
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/button, .../interactive and
 * .../flows/guides/receiveflowresponse; read 2026-11-26 as libraries quote it). WhatsApp also sends `interactive` messages without that
 * object.
 */
function buttonOf(message: JsonObject, type: string): ChosenButton | null {
  const content = objectIn(message, type);
  if (type === 'button') {
    const title = textIn(content, 'text') ?? '';
    const id = textIn(content, 'payload') ?? '';
    return title === '' && id === '' ? null : { id, title: title || id, description: null, form: null };
  }
  const form = objectIn(content, 'nfm_reply');
  if (form) return { ...wordsOfForm(form), description: null, form: valuesOf(textIn(form, 'response_json') ?? '') };
  const reply = objectIn(content, 'button_reply') ?? objectIn(content, 'list_reply');
  const id = idIn(reply, 'id');
  return id === null
    ? null
    : { id, title: textIn(reply, 'title') || id, description: textIn(reply, 'description'), form: null };
}

function wordsOfForm(form: JsonObject): Pick<ChosenButton, 'id' | 'title'> {
  return { id: textIn(form, 'name') || 'flow', title: textIn(form, 'body') || 'Form' };
}

function valuesOf(json: string): JsonObject | null {
  const value = json.length <= MAX_FORM ? objectOf(parseExactJson(json)) : null;
  return value && (clean(value, 0) as JsonObject);
}

/** The value with only text that a database can hold. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return textIn({ value }, 'value');
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_FORM_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  const members = Object.entries(value).map(([name, item]) => [clean(name, 0), clean(item, depth + 1)] as const);
  return Object.fromEntries(members);
}

/** In groups only the text shows it: `/command`, `@number`, or a reply to a message of the business. */
function isAddressed(text: string, message: JsonObject, business: string): boolean {
  if (/^\/\w/.test(text)) return true;
  if (business === '') return false;
  return (
    new RegExp(`@${business}(?!\\d)`).test(text) || digitsOf(textIn(objectIn(message, 'context'), 'from')) === business
  );
}

/** A press of a button under a Waystation question; all other buttons count as messages with their title. */
function pressOf({ id, message, chat, user }: Known, data: string): InboundUpdate {
  const messageId = idIn(objectIn(message, 'context'), 'id');
  return {
    kind: 'press',
    key: `message:${id}`,
    occurredAtMs: secondsIn(message, 'timestamp'),
    chat,
    user,
    messageId,
    pressId: pressIdOf(chat.chatId, id),
    data,
  };
}

/** A person changed numbers. A group chat keeps its id. */
function movedOf({ id, message, chat }: Known): InboundUpdate | null {
  const system = objectIn(message, 'system');
  const newChatId = idIn(system, 'wa_id') ?? idIn(system, 'new_wa_id');
  if (system?.type !== 'user_changed_number' || newChatId === null || !chat.isPrivate) return null;
  return { kind: 'moved', key: `message:${id}`, occurredAtMs: secondsIn(message, 'timestamp'), chat, newChatId };
}

/** People with a user name may come without a number; then their business-scoped user id identifies them. */
function userOf(message: JsonObject, contacts: readonly JsonObject[]): ChatUser | null {
  const [number, userId] = [idIn(message, 'from'), idIn(message, 'from_user_id')];
  const id = number ?? userId;
  if (id === null) return null;
  // The order of the contacts does not show whose they are.
  const contact = contacts.find(
    (one) => (number !== null && idIn(one, 'wa_id') === number) || (userId !== null && idIn(one, 'user_id') === userId),
  );
  const profile = objectIn(contact ?? null, 'profile');
  return { id, name: textIn(profile, 'name') || textIn(profile, 'username') || null };
}

function chatOf(message: JsonObject, user: ChatUser): Chat {
  const group = idIn(message, 'group_id');
  return { chatId: group === null ? user.id : groupChatId(group), topic: null, isPrivate: group === null };
}

/** Message types that are a file. */
const FILES = ['image', 'audio', 'video', 'document', 'sticker'];

/** What came with a message besides its text, in the member named after its type. */
export function attachmentsOf(message: JsonObject, type: string): Attachment[] {
  const content = objectIn(message, type);
  if (FILES.includes(type) && content) return [fileOf(content, type)];
  if (type === 'location' && content) return [placeOf(content)];
  if (type === 'contacts') return objectsIn(message, 'contacts').map(contactOf);
  return type === 'order' && content ? [orderOf(content)] : [];
}

function fileOf(file: JsonObject, kind: string): Attachment {
  return {
    kind,
    id: idIn(file, 'id'),
    name: textIn(file, 'filename'),
    mediaType: textIn(file, 'mime_type'),
    sizeBytes: numberIn(file, 'file_size'),
    description: file.voice === true ? 'voice message' : null,
  };
}

function placeOf(location: JsonObject): Attachment {
  const place = `${numberIn(location, 'latitude')}, ${numberIn(location, 'longitude')}`;
  const address = textIn(location, 'address');
  return described('location', textIn(location, 'name'), address ? `${place}, ${address}` : place);
}

function contactOf(contact: JsonObject): Attachment {
  const phones = objectsIn(contact, 'phones').map((phone) => textIn(phone, 'phone') ?? textIn(phone, 'wa_id'));
  const numbers = phones.filter((phone) => phone).join(', ');
  return described('contact', textIn(objectIn(contact, 'name'), 'formatted_name'), numbers || null);
}

function orderOf(order: JsonObject): Attachment {
  const items = objectsIn(order, 'product_items').map(
    (item) => `${numberIn(item, 'quantity') ?? 1} x ${idIn(item, 'product_retailer_id') ?? 'an item'}`,
  );
  return described('order', textIn(order, 'text'), items.join(', ') || null);
}

function described(kind: string, name: string | null, description: string | null): Attachment {
  return { kind, id: null, name, mediaType: null, sizeBytes: null, description };
}
