import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../common/backoff.js';
import { parseExact } from '../../common/exact-number.js';
import { joinAborts } from '../../common/joined-abort.js';
import { ServerEventParser } from '../../common/server-event-parser.js';
import { API_BACKOFF } from '../api-connection.js';
import { ApiProblemError, NoAnswerError, problemOf } from './api-errors.js';
import { addressOf, type ApiRequests, type Path } from './api-requests.js';

export interface StreamOptions {
  /** The id of the last event read; the stream continues after it. */
  lastEventId?: string;
  /** Ends the stream; the loop then throws the signal's reason. Leaving the loop also ends it. */
  signal?: AbortSignal;
}

export interface StreamEvent {
  /** A value for `lastEventId`. */
  id: string;
  event: string;
  data: unknown;
}

/** The stream that {@link followEvents} reads. */
interface Source extends StreamOptions {
  path: Path;
  places?: Record<string, string>;
  query?: object;
  /** Whether to wait for a server that has never answered, and to throw if the stream's subject is gone. */
  isPatient?: boolean;
}

/** A stream that ends sooner counts as a failure: a proxy may end every one. */
const SHORTEST_MS = 1_000;
/** The server writes at least every 15 seconds. */
const SILENCE_MS = 45_000;

/**
 * The events of a stream. It reconnects after interruptions and continues where it stopped. It ends when its subject is gone.
 * @throws NoAnswerError when no server answers at first; ApiProblemError when the server refuses; the reason of `signal`
 */
export async function* followEvents(
  requests: ApiRequests,
  source: Source,
): AsyncGenerator<StreamEvent, void, undefined> {
  const parser = new ServerEventParser(source.lastEventId);
  const backoff = new Backoff(API_BACKOFF);
  const { isPatient = false } = source;
  for (let wasOpen = false; ;) {
    let openedAt = Infinity;
    const connection = new EventConnection(requests, source, parser.lastId);
    try {
      const texts = await connection.open();
      wasOpen = true;
      openedAt = performance.now();
      yield* eventsIn(texts, parser);
    } catch (error) {
      source.signal?.throwIfAborted();
      if (error instanceof ApiProblemError && error.isFromServer && wasOpen && !isPatient && error.status === 404)
        return;
      if (error instanceof ApiProblemError && !error.isPassing) throw error;
      if (!wasOpen && !isPatient)
        throw error instanceof ApiProblemError ? error : new NoAnswerError(requests.connection.url, error);
    } finally {
      connection.close();
    }
    if (performance.now() - openedAt >= SHORTEST_MS) backoff.reset();
    const { signal } = source;
    await sleep(backoff.next(parser.retryMs), undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The events of one connection. @param memory keeps what the next connection needs: the last event id and the pause */
async function* eventsIn(texts: AsyncIterable<string>, memory: ServerEventParser): AsyncGenerator<StreamEvent> {
  // The next connection resends an event cut off by a broken one.
  const events = new ServerEventParser(memory.lastId);
  for await (const text of texts) {
    for (const { id, event, data } of events.read(text)) {
      memory.lastId = id;
      yield { id, event, data: parseExact(data) };
    }
    memory.lastId = events.lastId;
    memory.retryMs = events.retryMs ?? memory.retryMs;
  }
}

class EventConnection {
  private readonly end = new AbortController();
  private readonly joined;
  private silence?: NodeJS.Timeout;

  constructor(
    private readonly requests: ApiRequests,
    private readonly source: Source,
    private readonly lastId: string,
  ) {
    this.joined = joinAborts(this.end.signal, ...(source.signal ? [source.signal] : []));
  }

  async open(): Promise<AsyncIterable<string>> {
    const { path, places: filled, query } = this.source;
    this.watch();
    const response = await this.requests.connection.open(addressOf(path, { path: filled, query }), {
      headers: { accept: 'text/event-stream', ...(this.lastId === '' ? {} : { 'last-event-id': this.lastId }) },
      signal: this.joined.signal,
    });
    if (response.status !== 200 || response.body === null) throw problemOf(response.status, await response.text());
    return this.texts(response.body);
  }

  close(): void {
    clearTimeout(this.silence);
    this.end.abort();
    this.joined.release();
  }

  private async *texts(body: ReadableStream): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      // The reader may take any time.
      clearTimeout(this.silence);
      yield decoder.decode(bytes, { stream: true });
      this.watch();
    }
  }

  /** Detects a dead connection by its silence. */
  private watch(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.end.abort(new Error('The stream is silent.')), SILENCE_MS);
  }
}
