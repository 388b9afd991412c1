import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  type: string;
  id: string;
  sequence_num: number;
  occurred_at: string;
  data: Record<string, unknown>;
}

interface FakeAnswer {
  status: number;
  /** Text is no JSON: of something between the client and the API. */
  body: object | string;
}

/** What those who report have to show. */
export const EVENTS_TOKEN = 'the-token-of-the-fake-api';

/** Stands for the API in tests of those who report: it takes batches, or answers as it is told. */
export class EventsServer {
  /** Batches that were answered with 200 or 207. */
  readonly batches: ReceivedEvent[][] = [];
  attempts = 0;
  concurrent = 0;
  mostConcurrent = 0;
  private readonly answers: FakeAnswer[] = [];

  /** The header in which a server announces what it understands; null for none. */
  features: string | null = null;

  /** Decides on a batch; undefined takes it, 'silence' leaves it without an answer. */
  judge: (events: ReceivedEvent[]) => FakeAnswer | 'silence' | undefined = () => undefined;

  private constructor(private readonly server: Server) {}

  /** @param port where it was before, to come back there */
  static async start(port = 0): Promise<EventsServer> {
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void fake.answer(request, response));
    const fake = new EventsServer(server);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get events(): ReceivedEvent[] {
    return this.batches.flat();
  }

  /** The next request is answered like this. */
  answerNext(status: number, body: object = {}): void {
    this.answers.push({ status, body });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // What reported to a server that was here before.
    if (request.method !== 'POST' || request.headers.authorization !== `Bearer ${EVENTS_TOKEN}`) {
      return void response.writeHead(401).end();
    }
    this.attempts += 1;
    this.concurrent += 1;
    this.mostConcurrent = Math.max(this.mostConcurrent, this.concurrent);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { events } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { events: ReceivedEvent[] };
    const answer = this.answers.shift() ?? this.judge(events) ?? { status: 200, body: { saved: 0, rejected: [] } };
    if (answer === 'silence') return;
    if (answer.status === 200 || answer.status === 207) this.batches.push(events);
    this.concurrent -= 1;
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    if (this.features !== null) response.setHeader('waystation-features', this.features);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }
}
