import { joinAborts } from './joined-abort.js';
import { timeLimit } from './time-limit.js';

/** The parts of `fetch` that calls need, for others that send in its place. */
export type Send<Body = string | undefined> = (url: URL, init: SendOptions<Body>) => Promise<SentResponse>;

export interface SendOptions<Body = string | undefined> {
  method: string;
  headers: [string, string][];
  body: Body;
  /** Node sends a stream only where it need not wait for its end. */
  duplex?: 'half';
  /** `error` fails at a redirect. */
  redirect: 'manual' | 'error';
  /** With it and `redirect: 'error'`, `fetch` keeps no copy of the body (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch). */
  window?: null;
  signal: AbortSignal;
}

export interface SentResponse {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
}

/** A call to a program whose address somebody has configured. */
export interface OutboundCall {
  method: 'GET' | 'POST';
  url: URL;
  headers: Headers;
  body?: string;
  /** Milliseconds for the whole exchange. */
  timeoutMs: number;
  /** Bytes of the response that are read at most. */
  maxBytes: number;
  stop: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: SentResponse['headers'];
  bytes: Buffer;
  /** Whether the response is longer than was read. */
  isCutOff: boolean;
}

/** The response was not complete in time. */
export class CallTimedOut extends Error {}

/**
 * One attempt, without following redirects: they would carry tokens elsewhere.
 * @throws CallTimedOut; what `send` does, whose words may hold the address; the reason of `stop`
 */
export async function callOut(call: OutboundCall, send: Send = fetch): Promise<OutboundResponse> {
  const { method, url, headers, body, timeoutMs, maxBytes, stop } = call;
  const limit = timeLimit(timeoutMs);
  const { signal, release } = joinAborts(limit.signal, stop);
  try {
    const response = await send(url, { method, headers: [...headers], body, redirect: 'manual', signal });
    return { status: response.status, headers: response.headers, ...(await readBody(response, maxBytes)) };
  } catch (error) {
    throw limit.signal.aborted ? new CallTimedOut() : error;
  } finally {
    limit.clear();
    release();
  }
}

/** What the response says, at most so many bytes of it. */
export async function readBody(
  { body }: SentResponse,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCutOff: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop ends the connection as well.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), isCutOff: true };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isCutOff: false };
}
