import { TokenRecheck } from './token-recheck.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { writePiece } from './send-json.js';

/** Milliseconds between two comment lines: proxies close connections that are silent for about a minute. */
const PING_MS = 15_000;
/** Milliseconds for which a lookup of the caller's token is trusted: many events may come at once. */
const TRUST_MS = 1000;

/**
 * Responds with `events`, each the complete text of a server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * Ends when `events` ends, the reader leaves, or the caller's token ends: as soon as this instance hears of a revocation, otherwise before
 * the next event or ping.
 * Waits for slow readers. Cuts the connection before an event of a thread that the caller no longer sees, and on a failure: the reader
 * reconnects.
 */
export async function sendEventStream(response: ApiResponse, events: AsyncIterable<string>): Promise<void> {
  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  response.setHeader('Cache-Control', `${String(response.getHeader('Cache-Control') ?? 'no-cache')}, no-transform`);
  response.setHeader('X-Accel-Buffering', 'no');
  if (response.req.method === 'HEAD') return void response.end();
  response.flushHeaders();
  const { isStillAdmitted, assertVisible, onRevoked } = response.req as ApiRequest;
  const recheck = new TokenRecheck(isStillAdmitted);
  const ping = setInterval(() => void sendPing(response, recheck), PING_MS);
  const stopListening = onRevoked?.(() => void cutIfRevoked(response, recheck));
  try {
    for await (const event of events) {
      if (!(await recheck.holds(TRUST_MS))) break;
      // The event's content was read earlier.
      await assertVisible?.();
      if (!(await writePiece(response, event))) return;
    }
    response.end();
  } finally {
    clearInterval(ping);
    stopListening?.();
  }
}

/** An SSE comment. Unread data already keeps the connection alive. */
async function sendPing(response: ApiResponse, recheck: TokenRecheck): Promise<void> {
  await cutIfRevoked(response, recheck);
  if (response.destroyed || response.writableEnded) return;
  if (!response.writableNeedDrain) response.write(':\n\n');
}

/** Only cutting the connection ends the events, which may wait for news that never comes. */
async function cutIfRevoked(response: ApiResponse, recheck: TokenRecheck): Promise<void> {
  // Storage that does not answer is no reason to disconnect the reader: the next event looks up the token again.
  const isAdmitted = await recheck.holds(0).catch(() => true);
  if (!isAdmitted) response.destroy();
}
