import type { ApiRequest, ApiResponse } from './api-request.js';
import { streamJson } from './json-stream.js';

/** Bytes sent before the caller's token is checked again. */
const AT_ONCE_BYTES = 1024 * 1024;

/** Answers with existing JSON text. */
export function sendJsonText(response: ApiResponse, text: string): void | Promise<void> {
  return sendJsonBytes(response, [Buffer.from(text)]);
}

/** Answers with existing pieces of JSON. It sends large answers like a stream: only as long as the caller's token is valid. */
export function sendJsonBytes(response: ApiResponse, pieces: readonly Buffer[]): void | Promise<void> {
  const { assertInSight } = response.req as ApiRequest;
  return assertInSight ? assertInSight().then(() => send(response, pieces)) : send(response, pieces);
}

function send(response: ApiResponse, pieces: readonly Buffer[]): void | Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  if (bytes > AT_ONCE_BYTES) return streamJson(response, slicesOf(pieces));
  // One system call for all pieces, including the headers.
  response.cork();
  const last = pieces.length - 1;
  for (let index = 0; index < last; index += 1) response.write(pieces[index]!);
  response.end(pieces[last]);
  response.uncork();
}

function* slicesOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += AT_ONCE_BYTES) yield piece.subarray(from, from + AT_ONCE_BYTES);
  }
}
