/** @param {number} updateId @param {number} chatId of a private chat @param {string} text @returns {Buffer} as Telegram delivers it */
export function messageUpdate(updateId, chatId, text) {
  const from = { id: chatId, is_bot: false, first_name: `Person ${chatId}`, language_code: 'en' };
  const chat = { id: chatId, first_name: `Person ${chatId}`, type: 'private' };
  const message = { message_id: updateId, from, chat, date: Math.floor(Date.now() / 1000), text };
  return Buffer.from(JSON.stringify({ update_id: updateId, message }));
}

/**
 * @param {number} updateId @param {number} chatId of a private chat @param {number} messageId of the message with the button
 * @param {string} data of the button @returns {Buffer} the press, as Telegram delivers it
 */
export function pressUpdate(updateId, chatId, messageId, data) {
  const from = { id: chatId, is_bot: false, first_name: `Person ${chatId}` };
  const message = { message_id: messageId, date: 1_700_000_000, chat: { id: chatId, type: 'private' } };
  const callback_query = { id: String(updateId), from, message, chat_instance: '1', data };
  return Buffer.from(JSON.stringify({ update_id: updateId, callback_query }));
}
