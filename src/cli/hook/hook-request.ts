import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface HookRequest {
  url: string;
  token: string;
  key: string;
  body: Buffer;
  /** Milliseconds within which the response must arrive. */
  limitMs: number;
  /** Ends the request early. */
  signal: AbortSignal;
}

export interface HookReply {
  status: number;
  text: string;
}

/** A reply has a few bytes, or an edited input of a few megabytes. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Posts once, without following redirects. @throws Error when no complete response arrives */
export function postHook({ url, token, key, body, limitMs, signal }: HookRequest): Promise<HookReply> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': key,
  };
  return send(url, { method: 'POST', headers, signal: within(limitMs, signal) }, body);
}

/** Uses `node:http`: loading `fetch` would add half to the start-up time of each tool call. */
export async function send(url: string, options: RequestOptions, body?: Buffer): Promise<HookReply> {
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, options);
  // An error after the response has begun also reaches the response.
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

/** `AbortSignal.timeout` accepts only whole milliseconds. */
export function within(limitMs: number, end: AbortSignal): AbortSignal {
  return AbortSignal.any([end, AbortSignal.timeout(Math.ceil(limitMs))]);
}
