import { parseExactJson } from '../../../../common/exact-json.js';
import { idIn, objectIn, objectOf, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { Chat, InboundDelivery, InboundUpdate } from '../inbound-update.js';
import { digitsOf, messageOf, occurredAt } from './whatsapp.message.js';
import { groupChatId } from './whatsapp.types.js';

/** Other statuses (deleted, warning, played) change nothing that is kept. */
const STATES = ['sent', 'delivered', 'read', 'failed'] as const;

/** What a batch says for one number, in its order. A batch may be for several numbers, each change for one. */
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

/** Echoes of what people sent from the business' own phone, history that is synchronised, and whatever will be invented. */
function otherField(value: JsonObject, field: string): InboundUpdate[] {
  const what = /^[a-z_]{1,64}$/.test(field) ? field : 'unknown';
  const items = [...objectsIn(value, 'message_echoes'), ...objectsIn(value, 'messages')];
  return items.flatMap((item) => {
    const id = idIn(item, 'id');
    if (id === null) return [];
    return [{ kind: 'ignored', key: `${what}:${id}`, occurredAtMs: occurredAt(item), what, chat: null, user: null }];
  });
}

function statusOf(status: JsonObject): InboundUpdate | null {
  const [messageId, state] = [idIn(status, 'id'), textIn(status, 'status')];
  if (messageId === null || state === null) return null;
  const key = `status:${messageId}:${state.slice(0, 64)}`;
  const base = { key, occurredAtMs: occurredAt(status), chat: recipientOf(status) };
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
