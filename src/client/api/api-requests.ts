import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../common/backoff.js';
import { parseExact, stringifyExact } from '../../common/exact-number.js';
import { API_BACKOFF, type ApiResponse, type ApiConnection } from '../api-connection.js';
import { NoAnswerError, problemOf } from './api-errors.js';
import type { components, paths } from './openapi.gen.js';

/** The objects of the API by their names in its documentation, such as `Schemas['ThreadDetailDto']`. */
export type Schemas = components['schemas'];

export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds for each try. Default: that of the client. */
  timeoutMs?: number;
  /** How often to retry a request that is safe to repeat. Default: that of the client. */
  retries?: number;
  /** Milliseconds for all tries and the pauses between them. Default: that of the client. */
  totalTimeoutMs?: number;
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
export type Path = keyof paths;

/** The query parameters of a route. */
export type QueryOf<P extends Path, M extends Method = 'get'> = paths[P][M] extends { parameters: { query?: infer Q } }
  ? NonNullable<Q>
  : Record<never, never>;

/** The JSON body of a route's request. */
export type BodyOf<P extends Path, M extends Method> =
  NonNullable<paths[P][M]> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined;

type PlacesOf<P extends Path, M extends Method> =
  NonNullable<paths[P][M]> extends { parameters: { path: infer T extends object } } ? T : Record<never, never>;

/** The paths that have a route of this method. */
type PathOf<M extends Method> = { [P in Path]: undefined extends paths[P][M] ? never : P }[Path];

/** The JSON body of a route's response; undefined if it has none. */
type AnswerOf<P extends Path, M extends Method> =
  NonNullable<paths[P][M]> extends { responses: infer R }
    ? OrNothing<{ [S in keyof R]: R[S] extends { content: { 'application/json': infer B } } ? B : never }[keyof R]>
    : void;
type OrNothing<Answer> = [Answer] extends [never] ? void : Answer;

/** A request: values for the path's placeholders, its query, its body. */
export interface Call<P extends Path, M extends Method> extends CallOptions {
  path?: PlacesOf<P, M>;
  query?: QueryOf<P, M>;
  body?: BodyOf<P, M>;
  headers?: Record<string, string>;
  /** Whether the request is safe to repeat. Default: only for `get`. */
  isRepeatable?: boolean;
}

const PASSING = [429, 502, 503, 504];

/** Sends requests; large integers stay exact in both directions. */
export class ApiRequests {
  constructor(
    readonly connection: ApiConnection,
    private readonly limits: { timeoutMs: number; retries: number; totalTimeoutMs: number },
  ) {}

  /**
   * The body of the response; undefined if there is none.
   * @throws ApiProblemError when the server refuses; NoAnswerError; the reason of `signal`
   */
  async send<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    call: Call<P, M> = {},
  ): Promise<AnswerOf<P, M>> {
    const { status, text } = await this.responseTo(method, path, call);
    if (status >= 300) throw problemOf(status, text);
    if (text === '') return undefined as AnswerOf<P, M>;
    try {
      return parseExact(text) as AnswerOf<P, M>;
    } catch {
      // The page of another program, which might quote the request with its token.
      throw problemOf(status, text);
    }
  }

  /**
   * The complete response, whatever its status. Repeatable requests are retried if no server answers or it is busy.
   * @throws NoAnswerError; the reason of `signal`
   */
  async responseTo<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    call: Call<P, M> = {},
  ): Promise<ApiResponse> {
    const { isRepeatable = method === 'get', signal } = call;
    // An option with the value undefined counts as absent.
    const {
      timeoutMs = this.limits.timeoutMs,
      retries = this.limits.retries,
      totalTimeoutMs = this.limits.totalTimeoutMs,
    } = call;
    const backoff = new Backoff(API_BACKOFF);
    const end = performance.now() + totalTimeoutMs;
    for (let left = isRepeatable ? retries : 0; ; left -= 1) {
      const tryMs = Math.max(1, Math.min(timeoutMs, end - performance.now()));
      const response = await this.once(method, path, { ...call, timeoutMs: tryMs }).catch((error: unknown) =>
        this.failureOf(error, signal),
      );
      const [failure, reply] = response instanceof Error ? [response, null] : [null, response];
      if (reply !== null && !PASSING.includes(reply.status)) return reply;
      const askedS = Number(reply?.headers.get('retry-after') ?? 0);
      const pauseMs = backoff.next(askedS * 1000 || null);
      if (left <= 0 || performance.now() + pauseMs >= end) {
        if (failure !== null) throw failure;
        return reply;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /**
   * The error for a request that got no response.
   * @throws the reason of `signal` if it ended the request
   */
  failureOf(error: unknown, signal?: AbortSignal): NoAnswerError {
    signal?.throwIfAborted();
    return new NoAnswerError(this.connection.url, error);
  }

  private once<P extends Path, M extends Method>(method: M, path: P, call: Call<P, M>): Promise<ApiResponse> {
    const { body, headers, signal, timeoutMs } = call;
    return this.connection.send(addressOf(path, call), {
      method: method.toUpperCase() as 'GET',
      body: body === undefined ? undefined : stringifyExact(body),
      headers,
      timeoutMs,
      signal,
    });
  }
}

/** The path with its placeholders filled, and the query; absent values are left out, lists repeated. */
export function addressOf(path: Path, call: { path?: object; query?: object }): string {
  const places = new Map<string, unknown>(Object.entries(call.path ?? {}));
  const query = call.query ?? {};
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(places.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

/** The items of all pages of a list, one after another. */
export async function* itemsOf<Item, Query extends { cursor?: string }>(
  page: (query: Query) => Promise<{ items: Item[]; next_cursor: string | null }>,
  query: Query,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null | undefined = query.cursor;
  do {
    const response = await page({ ...query, ...(cursor ? { cursor } : {}) });
    yield* response.items;
    cursor = response.next_cursor;
  } while (cursor);
}
