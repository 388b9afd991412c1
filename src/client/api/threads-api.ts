import { ApiProblemError, problemOf } from './api-errors.js';
import { addressOf, itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';
import { followEvents, type StreamEvent, type StreamOptions } from './event-follower.js';

type Detail = '/threads/{thread_id}';

/** Threads with their runs, logs and costs. With a token of scope `reader` or `admin`. */
export class ThreadsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** One page, most recently changed first. */
  list(query: QueryOf<'/threads'> = {}, options: CallOptions = {}): Promise<Schemas['ThreadListDto']> {
    return this.requests.send('get', '/threads', { query, ...options });
  }

  /** The items of all pages. */
  each(
    query: QueryOf<'/threads'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['ListedThreadDto'], void, undefined> {
    return itemsOf((page) => this.list(page, options), query);
  }

  get(threadId: string, query: QueryOf<Detail> = {}, options: CallOptions = {}): Promise<Schemas['ThreadDetailDto']> {
    return this.requests.send('get', '/threads/{thread_id}', { path: { thread_id: threadId }, query, ...options });
  }

  /** One page of a thread's checkpoints, ordered by run, attempt and step. */
  checkpoints(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/checkpoints'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ThreadCheckpointListDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('get', '/threads/{thread_id}/checkpoints', { path, query, ...options });
  }

  eachCheckpoint(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/checkpoints'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['ThreadCheckpointDto'], void, undefined> {
    return itemsOf((page) => this.checkpoints(threadId, page, options), query);
  }

  /** One page of a thread's steps: checkpoints without messages. */
  steps(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/steps'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ThreadStepListDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('get', '/threads/{thread_id}/steps', { path, query, ...options });
  }

  /** Messages by the positions that steps name. */
  messages(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/messages'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ThreadMessagesDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('get', '/threads/{thread_id}/messages', { path, query, ...options });
  }

  /**
   * All events of a thread: `checkpoint`, `status`, `approval`, `effect` and `log`, beginning with the latest checkpoint. Nothing is lost
   * over interruptions and restarts of the server. It ends when the thread is deleted.
   */
  stream(threadId: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return followEvents(this.requests, {
      path: '/threads/{thread_id}/stream',
      places: { thread_id: threadId },
      ...options,
    });
  }

  /** The changes of all threads from now on: `thread`, `approval`, `effect`, `left` and `deleted`. Events may come twice. */
  watch(
    query: Omit<QueryOf<'/v1/threads/stream'>, 'last_event_id'> = {},
    options: StreamOptions = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    return followEvents(this.requests, { path: '/v1/threads/stream', query, ...options });
  }

  /** With scope `admin`. */
  delete(threadId: string, options: CallOptions = {}): Promise<void> {
    return this.requests.send('delete', '/threads/{thread_id}', { path: { thread_id: threadId }, ...options });
  }

  /** A whole thread as JSON lines, in chunks of UTF-8, for {@link import}. With scope `reader`. */
  async *export(threadId: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const end = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
    const address = addressOf('/v1/threads/{thread_id}/export', { path: { thread_id: threadId } });
    try {
      const response = await this.requests.connection.open(address, { signal });
      if (response.status !== 200 || response.body === null) throw problemOf(response.status, await response.text());
      yield* response.body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw error instanceof ApiProblemError ? error : this.requests.failureOf(error, options.signal);
    } finally {
      end.abort();
    }
  }

  /**
   * Stores an exported thread. With scope `admin`.
   * @param lines the result of {@link export}, or its text
   * @param query `as`: another id for the thread
   */
  async import(
    lines: string | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    query: QueryOf<'/v1/threads/import', 'post'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ImportedThreadDto']> {
    const body = typeof lines === 'string' ? lines : ReadableStream.from(lines);
    const { timeoutMs = IMPORT_MS, signal } = options;
    const address = addressOf('/v1/threads/import', { query });
    const headers = { 'content-type': 'application/x-ndjson' };
    const response = await this.requests.connection
      .send(address, { method: 'POST', body, headers, timeoutMs, signal })
      .catch((error: unknown) => Promise.reject(this.requests.failureOf(error, signal)));
    if (response.status !== 201) throw problemOf(response.status, response.text);
    return JSON.parse(response.text) as Schemas['ImportedThreadDto'];
  }
}

const IMPORT_MS = 10 * 60_000;
