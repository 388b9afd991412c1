import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../common/backoff.js';
import { parseExact } from '../../common/exact-number.js';
import { API_BACKOFF, type ApiResponse } from '../api-connection.js';
import { ApiProblemError, problemOf } from './api-errors.js';
import { callDecisions, type CallDecision } from './call-decisions.js';
import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';

const LATEST = '/v1/runners/threads/{thread_id}/latest';
const EFFECTS = '/v1/runners/threads/{thread_id}/effects';
const EFFECT = '/v1/runners/threads/{thread_id}/effects/{key}';
const LEASE = '/v1/runners/threads/{thread_id}/runs/{trace_id}/lease';
const WAIT_SECONDS = 50;

type Checkpoint = Schemas['CheckpointDto'];
type LatestQuery = Omit<QueryOf<typeof LATEST>, 'wait'>;

export interface RunAddress {
  thread_id: string;
  trace_id: string;
}

/** Reports and checkpoints, request by request; `WaystationClient` reports in the background. With a token of scope `runner` or `admin`. */
export class RunnersApi {
  constructor(private readonly requests: ApiRequests) {}

  /**
   * Stores events. With an `id` each, they can safely be sent again.
   * @returns `rejected` has those that were refused for good
   * @throws ApiProblemError if none was stored
   */
  report(
    events: readonly Schemas['RunnerEventDto'][],
    options: CallOptions = {},
  ): Promise<Schemas['IngestionResponseDto']> {
    const isRepeatable = events.every(({ id }) => id !== undefined && id !== null);
    return this.requests.send('post', '/v1/runners/events', {
      body: { events: [...events] },
      isRepeatable,
      ...options,
    });
  }

  /** The latest checkpoint of a thread, or of a run or an agent in it; null if there is none. */
  async latest(threadId: string, query: LatestQuery = {}, options: CallOptions = {}): Promise<Checkpoint | null> {
    try {
      return await this.requests.send('get', LATEST, { path: { thread_id: threadId }, query, ...options });
    } catch (error) {
      // Any other 404 is not from the server; null would make the run begin again.
      if (error instanceof ApiProblemError && error.isFromServer && error.status === 404) return null;
      throw error;
    }
  }

  /** The threads of the token's agents, ordered by id. `prefix` selects ids that begin with it. */
  eachThread(
    query: QueryOf<'/v1/runners/threads'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['OwnThreadDto'], void, undefined> {
    return itemsOf((page) => this.requests.send('get', '/v1/runners/threads', { query: page, ...options }), query);
  }

  /** The runs of a thread, ordered by their first reports. */
  eachRun(
    threadId: string,
    query: QueryOf<'/v1/runners/threads/{thread_id}/runs'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['ThreadRunDto'], void, undefined> {
    const path = { thread_id: threadId };
    const call = { path, ...options };
    return itemsOf(
      (page) => this.requests.send('get', '/v1/runners/threads/{thread_id}/runs', { query: page, ...call }),
      query,
    );
  }

  /** Deletes a thread with everything in it, if only the token's agents took part. */
  deleteThread(threadId: string, options: CallOptions = {}): Promise<void> {
    return this.requests.send('delete', '/v1/runners/threads/{thread_id}', {
      path: { thread_id: threadId },
      ...options,
    });
  }

  /** Yields the latest checkpoint, and again after each change, without polling. May skip intermediate states, but never the last. */
  async *watch(
    threadId: string,
    query: LatestQuery = {},
    options: Omit<CallOptions, 'timeoutMs'> = {},
  ): AsyncGenerator<Checkpoint, void, undefined> {
    const { signal } = options;
    const backoff = new Backoff(API_BACKOFF);
    let [etag, known]: [string | null, string | null] = [null, null];
    for (;;) {
      const begin = performance.now();
      const response: ApiResponse = await this.requests.responseTo('get', LATEST, {
        path: { thread_id: threadId },
        query: { ...query, ...(etag === null ? {} : { wait: String(WAIT_SECONDS) }) },
        headers: etag === null ? {} : { 'if-none-match': etag },
        timeoutMs: (WAIT_SECONDS + 10) * 1000,
        ...options,
      });
      if (response.status !== 200 && response.status !== 304) throw problemOf(response.status, response.text);
      const isNews = response.status === 200 && response.text !== known;
      if (response.status === 200) [etag, known] = [response.headers.get('etag'), response.text];
      if (isNews) {
        backoff.reset();
        yield parseExact(response.text) as Checkpoint;
      }
      // The server holds the request until something changes, unless a proxy removes the ETag or the `If-None-Match` header.
      if (isNews && etag !== null) continue;
      const pauseMs = Math.max(backoff.next() - (performance.now() - begin), 0);
      await sleep(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /**
   * Waits until a person has decided a run's pending tool calls, without polling and even while the server is away.
   * @returns the decision on each call, by its id
   * @throws NoDecisionError when nobody can decide any more; ApiProblemError if there is no such run; the reason of `signal`
   */
  async decisions(run: RunAddress, options: { signal?: AbortSignal } = {}): Promise<Map<string, CallDecision>> {
    const { thread_id, trace_id } = run;
    const patient = { ...options, retries: Infinity, totalTimeoutMs: Infinity };
    const checkpoints = this.watch(thread_id, { trace_id, history: 'none' }, patient);
    for (;;) {
      const { value: checkpoint } = await checkpoints.next();
      const decided = checkpoint && callDecisions(checkpoint);
      if (decided) return decided;
    }
  }
}

/** Details of a cancel or a retry: shown with the run, in its `events` and in the thread's stream. */
export interface RunOrder {
  /** The reason, up to 4,000 characters. That of a cancel reaches the run's program. */
  reason?: string;
  /** Who ordered it. */
  decidedBy?: string;
}

/** Cancels and retries runs. With a token of scope `admin`. */
export class RunsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** Ends a run and its sub-runs with the status `cancelled`; a queued run never starts. */
  cancel(run: RunAddress, options: CallOptions & RunOrder = {}): Promise<Schemas['CancelledRunDto']> {
    return this.requests.send('post', '/threads/{thread_id}/runs/{trace_id}/cancel', orderOf(run, options));
  }

  /** Makes the agent continue an ended or idle run. */
  retry(run: RunAddress, options: CallOptions & RunOrder = {}): Promise<Schemas['InvokedRunDto']> {
    return this.requests.send('post', '/threads/{thread_id}/runs/{trace_id}/retry', orderOf(run, options));
  }
}

function orderOf(
  { thread_id, trace_id }: RunAddress,
  { reason, decidedBy: decided_by, ...options }: CallOptions & RunOrder,
) {
  const body = { ...(reason === undefined ? {} : { reason }), ...(decided_by === undefined ? {} : { decided_by }) };
  return { path: { thread_id, trace_id }, ...(Object.keys(body).length > 0 && { body }), ...options };
}

/** Tool calls with side effects, request by request; `WaystationClient.effect` does all of it. */
export class EffectsApi {
  constructor(private readonly requests: ApiRequests) {}

  list(
    threadId: string,
    query: Omit<QueryOf<typeof EFFECTS>, 'wait'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['EffectListDto']> {
    return this.requests.send('get', EFFECTS, { path: { thread_id: threadId }, query, ...options });
  }

  /** Effects of all threads, such as those in doubt. With scope `approver`, `reader` or `admin`. */
  each(
    query: QueryOf<'/v1/effects'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['EffectListDto']['items'][number], void, undefined> {
    return itemsOf((page) => this.requests.send('get', '/v1/effects', { query: page, ...options }), query);
  }

  get(
    threadId: string,
    key: string,
    query: Omit<QueryOf<typeof EFFECT>, 'wait'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['EffectDto']> {
    return this.requests.send('get', EFFECT, { path: { thread_id: threadId, key }, query, ...options });
  }

  /**
   * @returns `state` is `started` if the caller should make the call now, `completed` if it was made before
   * @throws ApiProblemError with status 409 while nobody may make it
   */
  claim(threadId: string, claim: Schemas['ClaimEffectDto'], options: CallOptions = {}): Promise<Schemas['EffectDto']> {
    const isRepeatable = claim.claim_id !== undefined;
    return this.requests.send('post', EFFECTS, {
      path: { thread_id: threadId },
      body: claim,
      isRepeatable,
      ...options,
    });
  }

  /** Records the outcome of an effect. With scope `approver` or `admin`, also of another agent's effect that is in doubt. */
  settle(
    threadId: string,
    key: string,
    outcome: Schemas['SettleEffectDto'],
    query: QueryOf<typeof EFFECT, 'put'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['EffectDto']> {
    return this.requests.send('put', EFFECT, { path: { thread_id: threadId, key }, query, body: outcome, ...options });
  }
}

/** Leases of runs, request by request; `WaystationClient.lease` also renews them. */
export class LeasesApi {
  constructor(private readonly requests: ApiRequests) {}

  /** @throws ApiProblemError with status 409 while another process holds it */
  claim(
    run: RunAddress,
    claim: Schemas['ClaimLeaseDto'],
    options: CallOptions = {},
  ): Promise<Schemas['GrantedLeaseDto']> {
    const path = { thread_id: run.thread_id, trace_id: run.trace_id };
    return this.requests.send('post', LEASE, { path, body: claim, isRepeatable: true, ...options });
  }

  get(run: RunAddress, query: QueryOf<typeof LEASE> = {}, options: CallOptions = {}): Promise<Schemas['LeaseDto']> {
    const path = { thread_id: run.thread_id, trace_id: run.trace_id };
    return this.requests.send('get', LEASE, { path, query, ...options });
  }

  release(run: RunAddress, fence: number, options: CallOptions = {}): Promise<void> {
    const path = { thread_id: run.thread_id, trace_id: run.trace_id };
    return this.requests.send('delete', LEASE, { path, query: { fence }, ...options });
  }
}
