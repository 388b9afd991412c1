import { parseExactJson } from '../../../../common/exact-json.js';
import { idIn, objectIn, objectOf, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { InboundUpdate } from '../inbound-update.js';
import { chatOf, messageOf, secondsIn, userOf } from './telegram.message.js';
import type { TelegramBot } from './telegram.types.js';

/** The kinds of update that mean something here; nothing else is asked for. */
export const ALLOWED_UPDATES = ['message', 'callback_query', 'my_chat_member'] as const;

/** Statuses of a bot that is out of a chat: blocked in a private one, removed from a group. */
const OUT = ['kicked', 'left'];

/** The update of one webhook request; empty where it is none. */
export function parseUpdate(rawBody: Buffer, bot: TelegramBot): InboundUpdate[] {
  const update = objectOf(parseExactJson(rawBody));
  return update ? readUpdate(update, bot) : [];
}

/** What one update says. The kind is the name of its only member besides `update_id`; new kinds keep coming. */
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

/** The person is the one who pressed: the message that holds the button is the bot's own. */
function pressOf(query: JsonObject, key: string): InboundUpdate {
  const message = objectIn(query, 'message');
  const [chat, user] = [chatOf(message), userOf(objectIn(query, 'from'))];
  const [pressId, data] = [idIn(query, 'id'), textIn(query, 'data')];
  // Buttons of games have no data, those under inline messages no chat.
  if (!chat || !user || pressId === null || data === null) {
    return { kind: 'ignored', key, occurredAtMs: null, what: 'callback_query', chat, user };
  }
  // A message that is no longer accessible has the date 0, but its id.
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
