import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { AnyRequest } from './any-request.js';
import { Answer } from './api-client.js';

const agent = new Agent({ keepAlive: true, maxSockets: 50 });

/** Sends it unchanged. For streams, returns no body: it would not end. */
export function sendAny(
  origin: string,
  { method, target, headers, body }: AnyRequest,
  limitMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(origin, { method, path: target, headers, agent, signal: AbortSignal.timeout(limitMs) });
    const done = (status: number, answerHeaders: IncomingHttpHeaders, chunks: Buffer[]) =>
      resolve(new Answer(status, answerHeaders, Buffer.concat(chunks)));
    call.once('error', reject);
    call.once('response', (response) => {
      const { statusCode = 0 } = response;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => done(statusCode, response.headers, chunks));
      if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
      done(statusCode, response.headers, []);
      response.destroy();
    });
    call.end(body ?? undefined);
  });
}
