import type { ApiRequest, ApiResponse } from './api-request.js';
import { setHeaders, writeHead } from './response-head.js';
import type { HeaderList } from './security-headers.js';
import { TokenRecheck } from './token-recheck.js';
import { invalidToken } from '../common/invalid-token.js';
import type { Piece } from '../common/piece.js';

/** Bytes sent before the caller's token is checked again. */
const AT_ONCE_BYTES = 1024 * 1024;
const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'];

/** Sends existing JSON text. */
export function sendJsonText(response: ApiResponse, text: string): void | Promise<void> {
  // This many characters may be three times as many bytes.
  if (text.length > AT_ONCE_BYTES / 3) return sendJsonBytes(response, [Buffer.from(text)]);
  return whileVisible(response, () => endWithJson(response, text));
}

/**
 * The same without checking whether the caller still sees the thread.
 * @param headers alternating names and values
 */
export function endWithJson(response: ApiResponse, text: string, headers: HeaderList = []): void {
  writeHead(response, [...JSON_TYPE, 'Content-Length', String(Buffer.byteLength(text)), ...headers]);
  response.end(text);
}

/**
 * Sends existing pieces of JSON while the caller's token is valid; streams large ones.
 * @param headers alternating names and values
 */
export function sendJsonBytes(
  response: ApiResponse,
  pieces: readonly Buffer[],
  headers: HeaderList = [],
): void | Promise<void> {
  return whileVisible(response, () => sendBytes(response, pieces, headers));
}

function whileVisible(response: ApiResponse, send: () => void | Promise<void>): void | Promise<void> {
  const { assertVisible } = response.req as ApiRequest;
  return assertVisible ? assertVisible().then(send) : send();
}

function sendBytes(response: ApiResponse, pieces: readonly Buffer[], headers: HeaderList): void | Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const all = [...JSON_TYPE, 'Content-Length', String(bytes), ...headers];
  if (bytes > AT_ONCE_BYTES) {
    setHeaders(response, all);
    return streamJson(response, slicesOf(pieces));
  }
  writeHead(response, all);
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

/** Characters of small pieces collected for one write. */
const GATHERED = 64 * 1024;

/** Milliseconds for which a lookup of the caller's token is trusted. */
const TRUST_MS = 1000;

/**
 * Streams JSON pieces at the reader's pace. A response that fits into one write has a `Content-Length`. A failure before the first write
 * becomes a problem; a later one cuts the connection, so that nobody takes half a response for a whole one.
 * The connection is also cut within a second after the token ends, or when the caller may no longer see the thread.
 */
export async function streamJson(
  response: ApiResponse,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  contentType = 'application/json; charset=utf-8',
): Promise<void> {
  const { isStillAdmitted, assertVisible } = response.req as ApiRequest;
  const recheck = new TokenRecheck(isStillAdmitted);
  const assertAdmitted = async () => {
    if (!(await recheck.holds(TRUST_MS))) throw invalidToken();
    await assertVisible?.();
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

/** Writes, and waits if the reader is behind. Returns false to stop, because the reader has gone or wants no body. */
export function writePiece(response: ApiResponse, piece: string | Buffer): boolean | Promise<boolean> {
  if (response.destroyed) return false;
  if (response.req.method === 'HEAD') {
    response.end();
    return false;
  }
  if (response.write(piece)) return true;
  return new Promise((resolve) => {
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const settle = (isThere: boolean) => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(isThere);
    };
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}
