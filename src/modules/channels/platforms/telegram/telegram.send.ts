import { cutText } from '../../../../common/cut-text.js';
import type { JsonObject } from '../../../../common/json-fields.js';
import type { OutboundMessage } from '../outbound-message.js';
import type { TelegramCall } from './telegram.calls.js';
import { toHtml } from './telegram.format.js';

/** Of `sendMessage`, after its entities were parsed. */
export const MAX_TEXT_LENGTH = 4096;

export function callOf(message: OutboundMessage, markup: 'HTML' | 'plain'): TelegramCall {
  const method = message.kind === 'edit' ? 'editMessageText' : 'sendMessage';
  return { method, body: bodyOf(message, markup) };
}

/** The body of the method. An edit without `reply_markup` takes the buttons away. */
function bodyOf(message: OutboundMessage, markup: 'HTML' | 'plain'): JsonObject {
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

function keyboardOf(buttons: readonly { label: string; data: string }[]): JsonObject {
  return { inline_keyboard: [buttons.map(({ label, data }) => ({ text: label, callback_data: data }))] };
}
