import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../common/backoff.js';
import type { ApiClient } from './api-client.js';
import { CliError, RefusalError } from './cli-error.js';
import { ServerEventParser, type ServerEvent } from '../common/server-event-parser.js';
import type { Terminal } from './terminal.js';

/** The server sends something every 15 s. After this much silence the connection counts as dead, even if it seems open. */
const SILENCE_MS = 60_000;
/** Statuses of a server that cannot answer now. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** State of one server, shared by all streams of a command: tells the person once when it goes away and once when it is back. */
export class Outage {
  /** Whether the server has ever answered; otherwise nothing waits for it. */
  hasAnswered = false;
  private hasBegun = false;

  constructor(private readonly terminal: Pick<Terminal, 'printError'>) {}

  begin(): void {
    if (!this.hasBegun) this.terminal.printError('The API server does not answer; trying again.');
    this.hasBegun = true;
  }

  end(): void {
    if (this.hasBegun) this.terminal.printError('The API server answers again.');
    this.hasAnswered = true;
    this.hasBegun = false;
  }
}

/** Reads a stream of server-sent events and reconnects after interruptions. */
export class EventFollower {
  /** The server's time when it first answered, to the second. */
  beganAtMs = 0;
  private readonly backoff = new Backoff({ firstMs: 250, longestMs: 5_000, hasJitter: true });
  private retryMs: number | null = null;

  /** @param lastId the id of the event after which to begin, then of the last event read; empty for the stream's own beginning */
  constructor(
    private readonly client: ApiClient,
    private readonly path: string,
    private readonly outage: Outage,
    public lastId = '',
  ) {}

  /**
   * The events, until the caller stops reading. A connection that ends is reopened after the last id.
   * @param isEnough ends the events after the first id that it accepts; ids without an event count, too
   * @throws CliError when the server has never answered; RefusalError when it refuses
   */
  async *events(isEnough: (id: string) => boolean = () => false): AsyncGenerator<ServerEvent> {
    for (;;) {
      const ended = new AbortController();
      try {
        if (yield* this.connection(await this.connect(ended.signal), ended, isEnough)) return;
      } finally {
        ended.abort();
      }
      await sleep(this.backoff.next(this.retryMs));
    }
  }

  private async connect(signal: AbortSignal): Promise<Response> {
    for (;;) {
      const response = await this.request(signal);
      if (response !== null) return response;
      this.outage.begin();
      await sleep(this.backoff.next());
    }
  }

  /** Null while a server that has answered before does not answer. */
  private async request(signal: AbortSignal): Promise<Response | null> {
    try {
      const headers = { Accept: 'text/event-stream', ...(this.lastId === '' ? {} : { 'Last-Event-ID': this.lastId }) };
      const response = await this.client.open(this.path, headers, signal);
      this.beganAtMs ||= Date.parse(response.headers.get('date') ?? '') || Date.now();
      this.outage.end();
      return response;
    } catch (error) {
      if (this.outage.hasAnswered && isPassing(error)) return null;
      throw error;
    }
  }

  /** The events of one connection. Returns whether `isEnough` was satisfied; false if the connection broke. */
  private async *connection(
    response: Response,
    ended: AbortController,
    isEnough: (id: string) => boolean,
  ): AsyncGenerator<ServerEvent, boolean> {
    const parser = new ServerEventParser(this.lastId);
    const watchdog = setTimeout(() => ended.abort(), SILENCE_MS);
    try {
      for await (const text of textsOf(response)) {
        watchdog.refresh();
        yield* this.noted(parser, text);
        this.retryMs = parser.retryMs;
        if (isEnough(this.lastId)) return true;
      }
      return false;
    } finally {
      clearTimeout(watchdog);
    }
  }

  /** Records the position of the caller. */
  private *noted(parser: ServerEventParser, text: string): Generator<ServerEvent> {
    for (const event of parser.read(text)) {
      this.lastId = event.id;
      this.backoff.reset();
      yield event;
    }
    this.lastId = parser.lastId;
  }
}

/** Ends with the connection, cleanly closed or broken. */
async function* textsOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const piece = await reader.read().catch(() => null);
    if (piece === null || piece.done) return;
    yield decoder.decode(piece.value as Uint8Array, { stream: true });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof RefusalError) return PASSING.has(error.status);
  return error instanceof CliError;
}
