import { parseExactJson } from '../../../common/exact-json.js';
import { objectOf, type JsonObject } from '../../../common/json-fields.js';
import { joinAborts, type JoinedAbort } from '../../../common/joined-abort.js';
import {
  callOut,
  CallTimedOut,
  readBody,
  type OutboundCall,
  type OutboundResponse,
} from '../../../common/outbound-call.js';
import { timeLimit } from '../../../common/time-limit.js';
import { NO_PROXIES, type ProxySettings } from '../../../config/channels.config.js';
import { PlatformError } from './channel-adapter.js';
import type { UploadBody } from './upload-body.js';
import { OutboundProxies } from './outbound-proxy.js';
import { failureOf } from './platform-failure.js';

/** Far more than any expected response, such as a hundred Telegram updates. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const LONGEST_WAIT_MS = 3600_000;

/** Milliseconds for a platform to accept a piece of a file, or to respond after the last one: it may inspect the file first. */
const UPLOAD_IDLE_MS = 60_000;
const UPLOAD_TOTAL_MS = 10 * 60_000;

export interface PlatformCall {
  method: 'GET' | 'POST';
  /** May contain a secret, so no error contains it. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: JsonObject;
  /** Milliseconds added to the usual timeout, for long polling. */
  extraTimeMs?: number;
}

/** A call whose body is a file. */
export interface PlatformUpload {
  /** May contain a secret, so no error contains it. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: UploadBody;
}

/** Any response of a platform, including errors. */
export interface PlatformResponse {
  status: number;
  /** Null if it is not a JSON object. Long integers are strings. */
  body: JsonObject | null;
  /** Milliseconds from the Retry-After header, at most an hour; null if it is missing or unreadable. */
  retryAfterMs: number | null;
}

/** Where a platform stores a file. */
export interface PlatformLink {
  /** May contain a secret, so no error contains it. */
  url: URL;
  headers?: Readonly<Record<string, string>>;
}

/** A response whose body is still arriving; leaving the loop over its bytes closes the connection. */
export interface OpenedLink {
  status: number;
  /** The response's media type; null if it has none. */
  mediaType: string | null;
  sizeBytes: number | null;
  retryAfterMs: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Calls to platforms: one attempt each, with a timeout and a size limit on the response, without following redirects, which could carry the
 * token elsewhere.
 */
export class PlatformCalls {
  private readonly proxies: OutboundProxies;

  /** @param timeoutMs milliseconds for the whole exchange */
  constructor(
    private readonly timeoutMs: number,
    proxies: ProxySettings = NO_PROXIES,
  ) {
    this.proxies = new OutboundProxies(proxies);
  }

  /**
   * @throws PlatformError if there is no response; `isCertain` if the request certainly did not reach the platform. Its message contains no
   * part of the call, and so no secret
   */
  async call(call: PlatformCall, signal: AbortSignal): Promise<PlatformResponse> {
    if (signal.aborted) throw new PlatformError('the call was given up before it began', true);
    try {
      const { status, headers, bytes, isCutOff } = await callOut(this.outbound(call, signal), this.proxies.send);
      if (isCutOff) throw new PlatformError('the answer of the platform is too long', false);
      return { status, body: objectOf(parseExactJson(bytes)), retryAfterMs: retryAfterMs(headers) };
    } catch (error) {
      if (error instanceof CallTimedOut) throw new PlatformError('the platform did not answer in time', false);
      if (signal.aborted) throw new PlatformError('the call was given up before the platform answered', false);
      throw failureOf(error);
    }
  }

  /**
   * Streams a file to the platform. The limit is ten minutes in all, and a minute for each step.
   * @throws PlatformError as `call` does; `isCertain` also if the platform did not get the last bytes
   */
  async upload({ url, headers, body }: PlatformUpload, signal: AbortSignal): Promise<PlatformResponse> {
    if (signal.aborted) throw new PlatformError('the call was given up before it began', true);
    const sending = new Sending(body, signal);
    try {
      const content = { 'content-type': body.mediaType, 'content-length': String(body.sizeBytes) };
      const plain = [...headersOf({ headers: { ...content, ...headers } })];
      // Otherwise fetch would keep everything sent in memory.
      const uncopied = { redirect: 'error', window: null } as const;
      const options = { method: 'POST', headers: plain, duplex: 'half', ...uncopied } as const;
      const { signal: both } = sending;
      const response = await this.proxies.send(new URL(url), { ...options, body: sending.stream(), signal: both });
      const { bytes, isCutOff } = await readBody(response, MAX_RESPONSE_BYTES);
      if (isCutOff) throw new PlatformError('the answer of the platform is too long', false);
      const said = { body: objectOf(parseExactJson(bytes)), retryAfterMs: retryAfterMs(response.headers) };
      return { status: response.status, ...said };
    } catch (error) {
      throw sending.failureOf(error);
    } finally {
      sending.end();
    }
  }

  /**
   * Opens a link within the usual timeout; aborting `signal` also ends the body.
   * @throws PlatformError as `call` does
   */
  async open({ url, headers }: PlatformLink, signal: AbortSignal): Promise<OpenedLink> {
    const limit = timeLimit(this.timeoutMs);
    try {
      const both = AbortSignal.any([limit.signal, signal]);
      const plain = [...headersOf({ headers: { accept: '*/*', 'accept-encoding': 'identity', ...headers } })];
      const options = { method: 'GET', headers: plain, body: undefined, redirect: 'manual', signal: both } as const;
      const response = await this.proxies.send(url, options);
      const isPlain = (response.headers.get('content-encoding') ?? 'identity') === 'identity';
      return {
        status: response.status,
        mediaType: response.headers.get('content-type'),
        sizeBytes: isPlain ? lengthIn(response.headers.get('content-length')) : null,
        retryAfterMs: retryAfterMs(response.headers),
        bytes: response.body ?? NO_BYTES,
      };
    } catch (error) {
      if (limit.signal.aborted) throw new PlatformError('the platform did not answer in time', false);
      throw failureOf(error);
    } finally {
      limit.clear();
    }
  }

  private outbound(call: PlatformCall, stop: AbortSignal): OutboundCall {
    return {
      method: call.method,
      url: new URL(call.url),
      headers: headersOf(call),
      body: call.body === undefined ? undefined : JSON.stringify(call.body, wellFormed),
      timeoutMs: this.timeoutMs + (call.extraTimeMs ?? 0),
      maxBytes: MAX_RESPONSE_BYTES,
      stop,
    };
  }
}

/** An upload in progress: whether all of it was sent, and how long it has been idle. */
class Sending {
  private readonly stalled = new AbortController();
  private readonly joined: JoinedAbort;
  private readonly idle = setTimeout(() => this.stalled.abort(), UPLOAD_IDLE_MS);
  private readonly total = setTimeout(() => this.stalled.abort(), UPLOAD_TOTAL_MS);
  private isRead = false;

  constructor(
    private readonly body: UploadBody,
    private readonly stop: AbortSignal,
  ) {
    this.joined = joinAborts(stop, this.stalled.signal);
  }

  get signal(): AbortSignal {
    return this.joined.signal;
  }

  stream(): ReadableStream {
    return ReadableStream.from(this.pieces());
  }

  private async *pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.body.bytes()) {
      this.idle.refresh();
      yield piece;
    }
    this.isRead = true;
    this.idle.refresh();
  }

  /** The platform cannot have accepted a body that was not read to its end. */
  failureOf(error: unknown): PlatformError {
    const { message, isCertain, retryAfterMs: afterMs } = this.words(error);
    return new PlatformError(message, isCertain || !this.isRead, afterMs);
  }

  end(): void {
    clearTimeout(this.idle);
    clearTimeout(this.total);
    this.joined.release();
  }

  private words(error: unknown): PlatformError {
    if (this.stalled.signal.aborted) return new PlatformError('the platform did not take the file in time', false);
    if (this.stop.aborted) return new PlatformError('the call was given up before the platform answered', false);
    return failureOf(error);
  }
}

const NO_BYTES: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: async function* () {} };

function lengthIn(header: string | null): number | null {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

/** A model may stop within a surrogate pair; platforms reject text with half of one. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** @throws PlatformError if a token has characters that headers cannot hold; the error of `Headers` would quote it */
function headersOf({ headers, body }: Pick<PlatformCall, 'headers' | 'body'>): Headers {
  const content: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  try {
    return new Headers({ accept: 'application/json', ...content, ...headers });
  } catch {
    throw new PlatformError('the token of the channel has characters that cannot be sent', true);
  }
}

/**
 * RFC 9110: seconds, or a date; null for anything else. A date is compared with the response's own Date header, as this machine's clock may
 * be wrong.
 */
function retryAfterMs(headers: OutboundResponse['headers']): number | null {
  const wanted = headers.get('retry-after') ?? '';
  if (/^\d{1,15}(\.\d{1,15})?$/.test(wanted)) return waitWithin(Number(wanted) * 1000);
  const atMs = dateIn(wanted);
  return atMs === null ? null : waitWithin(atMs - (dateIn(headers.get('date') ?? '') ?? Date.now()));
}

function dateIn(text: string): number | null {
  const ms = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** The requested wait in milliseconds, limited to between zero and an hour. */
export function waitWithin(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, 0), LONGEST_WAIT_MS));
}
