import { cutText } from '../../../../common/cut-text.js';
import type { JsonObject } from '../../../../common/json-fields.js';
import type { Button, OutboundMessage } from '../outbound-message.js';
import { toMrkdwn, toSections } from './slack.format.js';

/** What Slack advises; it cuts at 40,000, which no escaping of this many reaches. */
export const MAX_TEXT_LENGTH = 4_000;

/** Of a section block. */
export const MAX_QUESTION_LENGTH = 3_000;

export function methodOf(message: OutboundMessage): string {
  return message.kind === 'edit' ? 'chat.update' : 'chat.postMessage';
}

export function bodyOf(message: OutboundMessage): JsonObject {
  const { chatId: channel, topic } = message.chat;
  // Without the empty list the buttons would stay.
  if (message.kind === 'edit') {
    return { channel, ts: message.messageId, text: toMrkdwn(cutText(message.text, MAX_TEXT_LENGTH)), blocks: [] };
  }
  const place = { channel, ...(topic === null ? {} : { thread_ts: topic }) };
  if (message.kind === 'text') return { ...place, text: toMrkdwn(message.text) };
  const text = cutText(message.text, MAX_QUESTION_LENGTH);
  const sections = toSections(text).map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }));
  return { ...place, text: toMrkdwn(text), blocks: [...sections, actionsOf(message.buttons)] };
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
