import type { ServerResponse } from 'node:http';

/** Ends a response that has not begun with a text, and sets its length. */
export function endWithText(response: ServerResponse, text: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** The same with bytes in pieces: with one system call. */
export function endWithBytes(response: ServerResponse, pieces: readonly Buffer[]): void {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('Content-Length', bytes);
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}
