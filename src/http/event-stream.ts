import type { ApiResponse } from './api-request.js';
import { writePiece } from './write-piece.js';

/** Milliseconds between two comment lines: proxies close connections on which nothing is said for about a minute. */
const PING_MS = 15_000;

/**
 * Answers with server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), each a complete block of text.
 * Ends when `events` ends or the reader goes away; a reader that is behind is waited for. A failure cuts the connection: the reader comes back.
 */
export async function sendEventStream(response: ApiResponse, events: AsyncIterable<string>): Promise<void> {
  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  response.setHeader('Cache-Control', 'no-cache, no-transform');
  response.setHeader('X-Accel-Buffering', 'no');
  if (response.req.method === 'HEAD') return void response.end();
  response.flushHeaders();
  const ping = setInterval(() => sendPing(response), PING_MS);
  try {
    for await (const event of events) if (!(await writePiece(response, event))) return;
    response.end();
  } finally {
    clearInterval(ping);
  }
}

/** A comment. What waits to be read already is sign of life enough. */
function sendPing(response: ApiResponse): void {
  if (!response.destroyed && !response.writableNeedDrain) response.write(':\n\n');
}
