import { messageUpdate } from '../chats/message-update.mjs';

/**
 * Delivers updates from Telegram, to all chats in turn.
 * @param {{chats: {chatId: number, secret: string}[], updates: number, firstUpdateId: number}} params
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ chats, updates, firstUpdateId }, requests) {
  let sent = 0;
  const next = () => {
    if (sent === updates) return null;
    const { chatId, secret } = chats[sent % chats.length];
    const body = messageUpdate(firstUpdateId + sent, chatId, `Where is parcel ${sent}?`);
    sent += 1;
    return requests.telegramUpdate(secret, body);
  };
  return {
    next,
    summary: () => ({ bodyBytes: messageUpdate(firstUpdateId, chats[0].chatId, 'Where is parcel 1?').length }),
  };
}
