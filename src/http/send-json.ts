import type { ApiResponse } from './api-request.js';
import { streamJson } from './json-stream.js';

/** Bytes that are sent without a further look at the caller's token. */
const AT_ONCE_BYTES = 1024 * 1024;

/** Answers with JSON that is text already. */
export function sendJsonText(response: ApiResponse, text: string): void | Promise<void> {
  return sendJsonBytes(response, [Buffer.from(text)]);
}

/** Answers with JSON whose pieces are there already. What is large is sent as a stream is: no longer than the caller's token counts. */
export function sendJsonBytes(response: ApiResponse, pieces: readonly Buffer[]): void | Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  if (bytes > AT_ONCE_BYTES) return streamJson(response, slicesOf(pieces));
  // One call of the system for all pieces, the headers included.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}

function* slicesOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += AT_ONCE_BYTES) yield piece.subarray(from, from + AT_ONCE_BYTES);
  }
}
