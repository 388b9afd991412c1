export const TELEGRAM_RECEIVER = '/v1/channels/webhook/telegram';

let nextUpdate = 1;

/** An update number that has not been used yet. */
export function newUpdateId(): number {
  return nextUpdate++;
}

/** A text in a private chat unless `more` says otherwise. */
export function textUpdate(text: string, more: Record<string, unknown> = {}, updateId = newUpdateId()) {
  const from = { id: 7, is_bot: false, first_name: 'Kim' };
  const message = { message_id: updateId, date: 1_763_600_000, chat: { id: 7, type: 'private' }, from, text, ...more };
  return { update_id: updateId, message };
}

/** Puts a message into a group. */
export function ofGroup(id: number) {
  return { chat: { id, type: 'supergroup', title: 'Group' } };
}
