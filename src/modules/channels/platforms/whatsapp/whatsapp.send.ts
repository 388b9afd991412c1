import { cutText } from '../../../../common/cut-text.js';
import type { JsonObject } from '../../../../common/json-fields.js';
import type { OutboundMessage, OutboundQuestion } from '../outbound-message.js';
import { toWhatsapp } from './whatsapp.format.js';
import { partsOf, recipientOf } from './whatsapp.types.js';

export const MAX_TEXT_LENGTH = 4096;

/** Of the body of an interactive message. */
export const MAX_QUESTION_LENGTH = 1024;

/** The body of a message. There is no editing for businesses, so an edit is a message of its own. */
export function bodyOf(message: OutboundMessage): JsonObject {
  const to = { messaging_product: 'whatsapp', ...recipientOf(message.chat.chatId) };
  if (message.kind === 'question') return { ...to, type: 'interactive', interactive: interactiveOf(message) };
  const text = message.kind === 'edit' ? cutText(message.text, MAX_TEXT_LENGTH) : message.text;
  return { ...to, type: 'text', text: { body: toWhatsapp(text, MAX_TEXT_LENGTH) } };
}

/** The body of a message that quotes the press of a button. */
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
