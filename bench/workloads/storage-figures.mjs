/**
 * Stops the server and measures its data on disk.
 * @param {import('../support/session.mjs').Session} session
 * @param {number} messageBytes all distinct recorded messages; NaN if not all were recorded
 * @returns {Promise<{diskBytes: number, messageBytes: number, diskPerMessageByte: number}>}
 */
export async function storageFigures(session, messageBytes) {
  await session.stopServer();
  const diskBytes = await session.storage.diskBytes();
  return { diskBytes, messageBytes, diskPerMessageByte: diskBytes / messageBytes };
}
