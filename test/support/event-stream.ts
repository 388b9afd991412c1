import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { ApiClient } from './api-client.js';

export interface StreamedEvent {
  id: string | null;
  event: string;
  data: string;
}

/** A reader of server-sent events that keeps everything it saw. */
export class EventStream {
  readonly seen: StreamedEvent[] = [];
  isEnded = false;
  /** The last id received, with or without an event. */
  lastId: string | null = null;
  private readonly waiting = new Set<() => void>();
  private buffer = '';

  private constructor(
    private readonly call: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.take(chunk));
    response.on('error', () => this.end());
    response.on('close', () => this.end());
  }

  static open(
    api: ApiClient,
    path: string,
    lastEventId?: string | null,
    further: Record<string, string> = {},
  ): Promise<EventStream> {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      ...further,
    };
    return new Promise((resolve, reject) => {
      const call = request(new URL(api.baseUrl).origin, { path, headers: api.headersFor({ headers }), agent: false });
      call.once('error', reject);
      call.once('response', (response) => {
        call.on('error', () => undefined);
        resolve(new EventStream(call, response));
      });
      call.end();
    });
  }

  ofType(event: string): StreamedEvent[] {
    return this.seen.filter((one) => one.event === event);
  }

  /** Waits until `isEnough` is true of the events so far. */
  async until(what: string, isEnough: (stream: EventStream) => boolean, limitMs = 30_000): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (!isEnough(this)) {
      const left = deadline - Date.now();
      if (left <= 0 || this.isEnded) throw new Error(`The stream did not bring ${what}; it brought ${this.describe()}`);
      await this.change(left);
    }
  }

  /** Waits until the server has ended the stream. */
  async untilEnd(limitMs = 30_000): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (!this.isEnded) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`The stream did not end; it brought ${this.describe()}`);
      await this.change(left);
    }
  }

  /** Drops the connection without closing it properly. */
  close(): void {
    this.call.destroy();
  }

  private describe(): string {
    const seen = JSON.stringify(this.seen.map(({ id, event, data }) => [id, event, data.slice(0, 80)]));
    return this.isEnded ? `${seen} and has ended` : seen;
  }

  private change(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), limitMs);
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      this.waiting.add(done);
    });
  }

  private take(chunk: string): void {
    this.buffer += chunk;
    const blocks = this.buffer.split(/\r?\n\r?\n/);
    this.buffer = blocks.pop() ?? '';
    for (const block of blocks) this.read(block);
    for (const wake of [...this.waiting]) wake();
  }

  private read(block: string): void {
    const fields = block.split(/\r?\n/).filter((line) => !line.startsWith(':'));
    const valueOf = (name: string) =>
      fields.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    this.lastId = valueOf('id')[0] ?? this.lastId;
    const data = valueOf('data');
    if (data.length === 0) return;
    this.seen.push({ id: valueOf('id')[0] ?? null, event: valueOf('event')[0] ?? 'message', data: data.join('\n') });
  }

  private end(): void {
    this.isEnded = true;
    for (const wake of [...this.waiting]) wake();
  }
}
