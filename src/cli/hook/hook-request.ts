import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface HookRequest {
  url: string;
  token: string;
  key: string;
  body: Buffer;
  /** Milliseconds after which the response must be there. */
  limitMs: number;
  /** Ends the request before. */
  signal: AbortSignal;
}

export interface HookReply {
  status: number;
  text: string;
}

/** A reply is some bytes long, or an edited input of a few megabytes. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Posts once. Redirects are not followed. @throws Error where no whole response comes */
export function postHook({ url, token, key, body, limitMs, signal }: HookRequest): Promise<HookReply> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': key,
  };
  return send(url, { method: 'POST', headers, signal: within(limitMs, signal) }, body);
}

/** `fetch` would take half as much time again to load, at each use of a tool. */
export async function send(url: string, options: RequestOptions, body?: Buffer): Promise<HookReply> {
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, options);
  // An error after the response has begun shows in the response, too.
  request.on('error', () => undefined).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

/** `AbortSignal.timeout` takes whole milliseconds only. */
export function within(limitMs: number, end: AbortSignal): AbortSignal {
  return AbortSignal.any([end, AbortSignal.timeout(Math.ceil(limitMs))]);
}
