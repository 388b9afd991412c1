import { endWithBytes, endWithText } from './end-response.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { streamJson } from './json-stream.js';

/** Bytes sent before the caller's token is checked again. */
const AT_ONCE_BYTES = 1024 * 1024;

/** Answers with existing JSON text. */
export function sendJsonText(response: ApiResponse, text: string): void | Promise<void> {
  // As many characters may be three times as many bytes.
  if (text.length > AT_ONCE_BYTES / 3) return sendJsonBytes(response, [Buffer.from(text)]);
  return whileInSight(response, () => endWithJson(response, text));
}

/** The same at once, without asking whether the caller still sees the thread. */
export function endWithJson(response: ApiResponse, text: string): void {
  addType(response);
  endWithText(response, text);
}

/** Answers with existing pieces of JSON. It sends large answers like a stream: only as long as the caller's token is valid. */
export function sendJsonBytes(response: ApiResponse, pieces: readonly Buffer[]): void | Promise<void> {
  return whileInSight(response, () => send(response, pieces));
}

function whileInSight(response: ApiResponse, answer: () => void | Promise<void>): void | Promise<void> {
  const { assertInSight } = response.req as ApiRequest;
  return assertInSight ? assertInSight().then(answer) : answer();
}

function send(response: ApiResponse, pieces: readonly Buffer[]): void | Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes > AT_ONCE_BYTES) {
    response.setHeader('Content-Length', bytes);
    return streamJson(response, slicesOf(pieces));
  }
  addType(response);
  endWithBytes(response, pieces);
}

function addType(response: ApiResponse): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

function* slicesOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += AT_ONCE_BYTES) yield piece.subarray(from, from + AT_ONCE_BYTES);
  }
}
