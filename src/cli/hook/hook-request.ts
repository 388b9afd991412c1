import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface HookRequest {
  url: string;
  token: string;
  key: string;
  body: Buffer;
  /** Milliseconds after which the answer must be there. */
  limitMs: number;
}

export interface HookReply {
  status: number;
  text: string;
}

/** A reply is some bytes long, or an edited input of a few megabytes. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Posts once, without the parts that `fetch` would load. Redirects are not followed. @throws Error where no whole answer comes */
export function postHook({ url, token, key, body, limitMs }: HookRequest): Promise<HookReply> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    'idempotency-key': key,
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const request = send(url, { method: 'POST', headers, signal }, (response) => {
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
