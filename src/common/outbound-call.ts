import { joinAborts } from './joined-abort.js';
import { timeLimit } from './time-limit.js';

/** The parts of `fetch` that calls need, so that it can be replaced. */
export type Send<Body = string | undefined> = (url: URL, init: SendOptions<Body>) => Promise<SentResponse>;

export interface SendOptions<Body = string | undefined> {
  method: string;
  headers: [string, string][];
  body: Body;
  /** Node requires this for streams. */
  duplex?: 'half';
  /** `error` fails on a redirect. */
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

/** A call to a program whose address was configured. */
export interface OutboundCall {
  method: 'GET' | 'POST';
  url: URL;
  headers: Headers;
  body?: string;
  /** Milliseconds for the whole exchange. */
  timeoutMs: number;
  /** Limit of response bytes to read. */
  maxBytes: number;
  stop: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: SentResponse['headers'];
  bytes: Buffer;
  /** Whether the response was longer than `maxBytes`. */
  isCutOff: boolean;
}

/** The response was not complete in time. */
export class CallTimedOut extends Error {}

/**
 * Tries once, without following redirects: they would carry tokens elsewhere.
 * @throws CallTimedOut; errors of `send`, whose messages may contain the address; the reason of `stop`
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

/** The response's text, up to a limit in bytes. */
export async function readBody(
  { body }: SentResponse,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCutOff: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop also closes the connection.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), isCutOff: true };
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isCutOff: false };
}
