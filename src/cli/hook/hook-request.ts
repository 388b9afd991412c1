import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface HookRequest {
  url: string;
  token: string;
  key: string;
  body: Buffer;
  /** Milliseconds after which the answer must be there. */
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

/** Posts once, without the parts that `fetch` would load. Redirects are not followed. @throws Error where no whole answer comes */
export function postHook({ url, token, key, body, limitMs, signal: end }: HookRequest): Promise<HookReply> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': key,
  };
  return new Promise((resolve, reject) => {
    const signal = within(limitMs, end);
    const request = senderOf(url)(url, { method: 'POST', headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_REPLY_BYTES) response.destroy(new Error('the answer is too long'));
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Whether anything but an error comes within `limitMs`. An address that is unknown there is an answer, too. */
export function answers(url: string, limitMs: number, end: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = within(limitMs, end);
    const request = senderOf(url)(url, { signal }, (response) => {
      response.on('error', () => resolve(false));
      response.on('end', () => resolve((response.statusCode ?? 0) < 500));
      response.resume();
    });
    request.on('error', () => resolve(false));
    request.end();
  });
}

function senderOf(url: string): typeof httpRequest {
  return url.startsWith('https:') ? httpsRequest : httpRequest;
}

/** `AbortSignal.timeout` takes whole milliseconds only. */
function within(limitMs: number, end: AbortSignal): AbortSignal {
  return AbortSignal.any([end, AbortSignal.timeout(Math.ceil(limitMs))]);
}
