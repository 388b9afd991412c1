import { TokenRecheck } from './token-recheck.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { invalidToken } from '../common/invalid-token.js';
import type { Piece } from '../common/piece.js';
import { writePiece } from './write-piece.js';

/** Characters of small pieces to collect for one write. */
const GATHERED = 64 * 1024;

/** Milliseconds after which the caller's token is looked up again before a piece is sent. */
const TRUST_MS = 1000;

/**
 * Answers with JSON that comes in pieces, as fast as the reader takes them and no faster. What fits into one write goes out with its length.
 * A failure before the first write becomes a problem; one after it cuts the connection, so that nobody takes half an answer for a whole one.
 * So does the end of the caller's token, at the latest a second after it, and a thread that the caller sees no more.
 */
export async function streamJson(
  response: ApiResponse,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  contentType = 'application/json; charset=utf-8',
): Promise<void> {
  const { isStillAdmitted, assertInSight } = response.req as ApiRequest;
  const recheck = new TokenRecheck(isStillAdmitted);
  const assertAdmitted = async () => {
    if (!(await recheck.holds(TRUST_MS))) throw invalidToken();
    await assertInSight?.();
  };
  const write = async (piece: Piece) => {
    await assertAdmitted();
    if (!response.headersSent) response.setHeader('Content-Type', contentType);
    return writePiece(response, piece);
  };
  let gathered = '';
  for await (const piece of pieces) {
    if (typeof piece === 'string' && gathered.length + piece.length < GATHERED) {
      gathered += piece;
      continue;
    }
    if (gathered !== '' && !(await write(gathered))) return;
    gathered = '';
    if (piece.length > 0 && !(await write(piece))) return;
  }
  await assertAdmitted();
  if (!response.headersSent) {
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', Buffer.byteLength(gathered));
  }
  response.end(gathered);
}
