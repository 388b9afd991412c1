import { jest } from '@jest/globals';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** A call as it came. */
export interface ReceivedNotice {
  id: string;
  timestamp: string;
  signatures: string[];
  body: string;
  event: { type: string; timestamp: string; data: Record<string, unknown> };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Somebody whom notices are sent to. */
export class NoticeReceiver {
  readonly calls: ReceivedNotice[] = [];
  /** How it answers. */
  answer: Answer = (_request, response) => response.writeHead(204).end();

  private constructor(private readonly server: Server) {}

  /** @param port 0 for any that is free */
  static async start(port = 0): Promise<NoticeReceiver> {
    const server = createServer();
    const receiver = new NoticeReceiver(server);
    server.on('request', (request, response) => void receiver.take(request, response));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** What it was told of a thread. */
  of(threadId: string): ReceivedNotice[] {
    return this.calls.filter(({ event }) => event.data.thread_id === threadId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const header = (name: string) => String(request.headers[name]);
    this.calls.push({
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signatures: header('webhook-signature').split(' '),
      body,
      event: JSON.parse(body) as ReceivedNotice['event'],
    });
    this.answer(request, response);
  }
}

/**
 * Whether a receiver that uses the library of Standard Webhooks takes the call for genuine.
 * @param atMs the time of the receiver's clock, which may differ by five minutes
 */
export function isVerifiedWith(
  secret: string,
  { id, timestamp, signatures, body }: Omit<ReceivedNotice, 'event'>,
  atMs = Date.now(),
): boolean {
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  const receiverClock = jest.spyOn(Date, 'now').mockReturnValue(atMs);
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  } finally {
    receiverClock.mockRestore();
  }
}
