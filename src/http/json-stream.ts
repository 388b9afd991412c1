import type { ApiResponse } from './api-request.js';
import { writePiece } from './write-piece.js';

/** A part of an answer: text, or bytes that are sent as they are. */
export type Piece = string | Buffer;

/** Characters of small pieces that are gathered to one write. */
const GATHERED = 64 * 1024;

/**
 * Answers with JSON that comes in pieces, as fast as the reader takes them and no faster. What fits into one write goes out with its length.
 * A failure before the first write becomes a problem; one after it cuts the connection, so that nobody takes half an answer for a whole one.
 */
export async function streamJson(response: ApiResponse, pieces: AsyncIterable<Piece>): Promise<void> {
  let gathered = '';
  for await (const piece of pieces) {
    if (typeof piece === 'string' && gathered.length + piece.length < GATHERED) {
      gathered += piece;
      continue;
    }
    if (!response.headersSent) setJson(response);
    if (gathered !== '' && !(await writePiece(response, gathered))) return;
    gathered = '';
    if (piece.length > 0 && !(await writePiece(response, piece))) return;
  }
  if (!response.headersSent) {
    setJson(response);
    response.setHeader('Content-Length', Buffer.byteLength(gathered));
  }
  response.end(gathered);
}

function setJson(response: ApiResponse): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}
