/**
 * Stops the server and asks what its data takes on disk.
 * @param {import('../support/session.mjs').Session} session
 * @param {number} messageBytes all distinct messages that were recorded; NaN when not all of them were
 * @returns {Promise<{diskBytes: number, messageBytes: number, diskPerMessageByte: number}>}
 */
export async function storageFigures(session, messageBytes) {
  await session.stopServer();
  const diskBytes = await session.storage.diskBytes();
  return { diskBytes, messageBytes, diskPerMessageByte: diskBytes / messageBytes };
}
