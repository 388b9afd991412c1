import { digestOf } from '../../../../common/digest.js';
import { idIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { Chat, ChatUser, InboundUpdate } from '../inbound-update.js';
import { millisecondsOf, toPlain } from './slack.event.js';
import { keyOf, pressIdOf } from './slack.config.js';

/** Button presses; the bot offers no dialogs, shortcuts or menus. */
export function interactionOf(payload: JsonObject): InboundUpdate[] {
  const type = textIn(payload, 'type') ?? 'unknown';
  const [chat, user] = [chatOf(payload), userOf(payload)];
  const messageId = idIn(objectIn(payload, 'container'), 'message_ts') ?? idIn(objectIn(payload, 'message'), 'ts');
  const presses =
    type === 'block_actions' && chat && user
      ? objectsIn(payload, 'actions').map((action) => pressOf(action, chat, user, messageId))
      : [];
  return presses.length > 0 ? presses : [ignored(payload, type, chat, user)];
}

function pressOf(action: JsonObject, chat: Chat, user: ChatUser, messageId: string | null): InboundUpdate {
  const actionTs = idIn(action, 'action_ts') ?? '';
  const key = keyOf('action', chat.chatId, messageId, user.id, actionTs);
  const pressId = pressIdOf({ channel: chat.chatId, user: user.id, threadTs: chat.topic });
  const data = textIn(action, 'value') ?? '';
  return { kind: 'press', key, occurredAtMs: millisecondsOf(actionTs), chat, user, messageId, pressId, data };
}

/** A slash command is a message to the bot, although nobody else in the channel sees it. */
export function commandOf(command: JsonObject): InboundUpdate[] {
  const [name, chatId] = [textIn(command, 'command'), idIn(command, 'channel_id')];
  const [userId, triggerId] = [idIn(command, 'user_id'), idIn(command, 'trigger_id')];
  if (!name || chatId === null || userId === null || triggerId === null) return [];
  return [
    {
      kind: 'message',
      key: `command:${triggerId}`,
      occurredAtMs: null,
      chat: { chatId, topic: idIn(command, 'thread_ts'), isPrivate: chatId.startsWith('D') },
      user: { id: userId, name: textIn(command, 'user_name') },
      messageId: triggerId,
      text: `${name} ${toPlain(textIn(command, 'text') ?? '')}`.trim(),
      attachments: [],
      isAddressed: true,
    },
  ];
}

function chatOf(payload: JsonObject): Chat | null {
  const container = objectIn(payload, 'container');
  const chatId = idIn(objectIn(payload, 'channel'), 'id') ?? idIn(container, 'channel_id');
  if (chatId === null) return null;
  const message = objectIn(payload, 'message');
  const threadTs = idIn(message, 'thread_ts') ?? idIn(container, 'thread_ts');
  return { chatId, topic: threadTs === idIn(message, 'ts') ? null : threadTs, isPrivate: chatId.startsWith('D') };
}

function userOf(payload: JsonObject): ChatUser | null {
  const user = objectIn(payload, 'user');
  const id = idIn(user, 'id');
  return id === null ? null : { id, name: textIn(user, 'name') ?? textIn(user, 'username') };
}

function ignored(payload: JsonObject, type: string, chat: Chat | null, user: ChatUser | null): InboundUpdate {
  const what = /^[a-z_]{1,64}$/.test(type) ? type : 'unknown';
  const key = `interaction:${digestOf([idIn(payload, 'trigger_id'), idIn(payload, 'action_ts'), what].join(' '))}`;
  return { kind: 'ignored', key, occurredAtMs: millisecondsOf(idIn(payload, 'action_ts')), what, chat, user };
}
