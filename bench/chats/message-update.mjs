/** @param {number} updateId @param {number} chatId of a private chat @param {string} text @returns {Buffer} as Telegram delivers it */
export function messageUpdate(updateId, chatId, text) {
  const from = { id: chatId, is_bot: false, first_name: `Person ${chatId}`, language_code: 'en' };
  const chat = { id: chatId, first_name: `Person ${chatId}`, type: 'private' };
  const message = { message_id: updateId, from, chat, date: Math.floor(Date.now() / 1000), text };
  return Buffer.from(JSON.stringify({ update_id: updateId, message }));
}
