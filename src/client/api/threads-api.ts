import { ApiProblemError, problemOf } from './api-errors.js';
import { addressOf, itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';
import { followEvents, type StreamEvent, type StreamOptions } from './event-follower.js';

type Detail = '/threads/{thread_id}';

/** Threads as people see them. With a token of scope `reader` or `admin`. */
export class ThreadsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** One page, the thread that changed last first. */
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

  /** One page of the checkpoints of a thread, in the order of its runs, attempts and steps. */
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

  /** One page of the steps of a thread: checkpoints without what was said. */
  steps(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/steps'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ThreadStepListDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('get', '/threads/{thread_id}/steps', { path, query, ...options });
  }

  /** Messages by the places that steps name. */
  messages(
    threadId: string,
    query: QueryOf<'/threads/{thread_id}/messages'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ThreadMessagesDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('get', '/threads/{thread_id}/messages', { path, query, ...options });
  }

  /**
   * Everything that happens in a thread: `checkpoint`, `status`, `approval`, `effect` and `log`, the latest checkpoint first. Without loss
   * over lost connections and restarts of the server; it ends when the thread is deleted.
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

  /** A whole thread as lines of JSON, in pieces of UTF-8, for {@link import}. With scope `admin`. */
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
   * Stores a thread that was exported. With scope `admin`.
   * @param lines what {@link export} gave, or its text
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
