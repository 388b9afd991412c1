import { ApiProblemError } from './api-errors.js';
import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';

const NEWEST = '/v1/runners/threads/{thread_id}/state';
const STATE = '/v1/runners/threads/{thread_id}/state/{checkpoint_id}';
const SOME = '/v1/runners/threads/{thread_id}/state/delete';
const WRITES = '/v1/runners/threads/{thread_id}/state/{checkpoint_id}/writes';

/** Identifies a checkpoint of a graph. */
export interface StateAddress {
  thread_id: string;
  checkpoint_id: string;
}

/** Checkpoints of graphs, as used by the LangGraph savers. With a token of scope `runner` or `admin`. */
export class StatesApi {
  constructor(private readonly requests: ApiRequests) {}

  /**
   * Stores a checkpoint durably.
   * @throws ApiProblemError with the code `unknown_digest` if the thread lacks a value
   */
  put(
    { thread_id, checkpoint_id }: StateAddress,
    state: Schemas['PutStateDto'],
    query: QueryOf<typeof STATE, 'put'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['StoredStateDto']> {
    const path = { thread_id, checkpoint_id };
    return this.requests.send('put', STATE, { path, query, body: state, isRepeatable: true, ...options });
  }

  /** Stores the writes of a task durably. Their checkpoint may follow later. */
  putWrites(
    { thread_id, checkpoint_id }: StateAddress,
    writes: Schemas['PutWritesDto'],
    query: QueryOf<typeof WRITES, 'post'> = {},
    options: CallOptions = {},
  ): Promise<void> {
    const path = { thread_id, checkpoint_id };
    return this.requests.send('post', WRITES, { path, query, body: writes, isRepeatable: true, ...options });
  }

  /**
   * Stores a checkpoint, the writes of tasks and the events that show them, durably and in one request.
   * @returns `events` says which were refused
   * @throws ApiProblemError with the code `unknown_digest` if the thread lacks a value: then nothing is stored
   */
  putStep(
    threadId: string,
    step: Schemas['PutStepDto'],
    query: QueryOf<typeof NEWEST, 'post'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['StoredStepDto']> {
    const path = { thread_id: threadId };
    return this.requests.send('post', NEWEST, { path, query, body: step, isRepeatable: true, ...options });
  }

  /** A checkpoint, the newest without an id; null if there is none. */
  async get(
    { thread_id, checkpoint_id }: { thread_id: string; checkpoint_id?: string | undefined },
    query: QueryOf<typeof STATE> = {},
    options: CallOptions = {},
  ): Promise<Schemas['StateDto'] | null> {
    try {
      if (checkpoint_id === undefined)
        return await this.requests.send('get', NEWEST, { path: { thread_id }, query, ...options });
      return await this.requests.send('get', STATE, { path: { thread_id, checkpoint_id }, query, ...options });
    } catch (error) {
      // Any other 404 is not from the server; null would make the graph begin again.
      if (error instanceof ApiProblemError && error.code === 'state_not_found') return null;
      throw error;
    }
  }

  /** Checkpoints with their values and writes, highest ids first. */
  each(
    query: QueryOf<'/v1/runners/state'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['StateDto'], void, undefined> {
    return itemsOf((page) => this.requests.send('get', '/v1/runners/state', { query: page, ...options }), query);
  }

  /** The same checkpoints in the same order, without serialised data. */
  eachOutline(
    query: QueryOf<'/v1/runners/state/index'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['StateOutlineDto'], void, undefined> {
    return itemsOf((page) => this.requests.send('get', '/v1/runners/state/index', { query: page, ...options }), query);
  }

  /** Deletes up to 1,000 checkpoints of a thread with their writes, of one agent or of all that the token may speak for. */
  deleteSome(
    threadId: string,
    checkpoints: Schemas['StateNameDto'][],
    query: QueryOf<typeof SOME, 'post'> = {},
    options: CallOptions = {},
  ): Promise<void> {
    const path = { thread_id: threadId };
    return this.requests.send('post', SOME, { path, query, body: { checkpoints }, isRepeatable: true, ...options });
  }

  /** Deletes the checkpoints and writes of a thread, of one agent or of all that the token may speak for. */
  delete(threadId: string, query: QueryOf<typeof NEWEST, 'delete'> = {}, options: CallOptions = {}): Promise<void> {
    const path = { thread_id: threadId };
    return this.requests.send('delete', NEWEST, { path, query, isRepeatable: true, ...options });
  }
}
