/** Where the server is, and for whom the saver speaks. */
export interface ApiOptions {
  /** The server; by default `WAYSTATION_API_URL`, else `http://127.0.0.1:8000`. */
  apiUrl?: string;
  /** A token of scope `runner`; by default `WAYSTATION_TOKEN`. */
  token?: string;
  /** Milliseconds for which a request is tried again after its first failure while the server is away; 60,000 by default. */
  retryMs?: number;
}

/** The server refused a request. */
export class WaystationRefusalError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string | undefined,
    /** The whole problem document; empty where the answer was none. */
    readonly problem: Record<string, unknown>,
  ) {
    super(detail === undefined ? `The answer was ${status}.` : `${status}: ${detail}`);
    this.name = 'WaystationRefusalError';
  }
}

/** An answer with a body; null for 204, 304, and for 404 to a GET. */
export interface ApiAnswer<T> {
  status: number;
  etag: string | null;
  body: T | null;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** A long poll holds a request for up to a minute. */
const TIMEOUT_MS = 90_000;
/** Answers of a server that is busy, and of a proxy whose server is away. */
const PASSING = new Set([429, 502, 503, 504]);

/** Calls the server. Every request may be sent again: the same once more changes nothing. */
export class ApiConnection {
  private readonly url: string;
  private readonly token: string;
  private readonly retryMs: number;

  constructor({ apiUrl, token, retryMs = 60_000 }: ApiOptions) {
    this.url = (apiUrl ?? env('WAYSTATION_API_URL') ?? 'http://127.0.0.1:8000').replace(/\/+$/, '');
    const given = token ?? env('WAYSTATION_TOKEN');
    if (!given) {
      throw new Error(
        'No token for Waystation: set WAYSTATION_TOKEN to one of `waystation token create --scope runner`.',
      );
    }
    this.token = given;
    this.retryMs = retryMs;
  }

  /** @throws WaystationRefusalError for a refusal, but for 404 to a GET; TypeError where the server stays away */
  async send<T>(method: string, path: string, body?: string, options: SendOptions = {}): Promise<ApiAnswer<T>> {
    const { signal, retryMs = this.retryMs } = options;
    let untilMs: number | undefined;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      try {
        return await read<T>(method, await this.exchange(method, path, body, options));
      } catch (error) {
        if (signal?.aborted || !mayPass(error)) throw error;
        // A long poll may have lasted longer than the patience before it broke.
        untilMs ??= Date.now() + retryMs;
        if (Date.now() + pauseMs > untilMs) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  private exchange(method: string, path: string, body: string | undefined, options: SendOptions): Promise<Response> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options.etag && { 'if-none-match': options.etag }),
      },
      ...(body !== undefined && { body }),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
  }
}

interface SendOptions {
  /** Of the caller's last answer. */
  etag?: string | null;
  signal?: AbortSignal;
  /** In place of the connection's own. */
  retryMs?: number;
}

function mayPass(error: unknown): boolean {
  return !(error instanceof WaystationRefusalError) || PASSING.has(error.status);
}

async function read<T>(method: string, answer: Response): Promise<ApiAnswer<T>> {
  const { status } = answer;
  const etag = answer.headers.get('etag');
  const text = await answer.text();
  if (status === 204 || status === 304 || (status === 404 && method === 'GET')) return { status, etag, body: null };
  const body = objectIn(text);
  if (answer.ok) {
    if (!body) throw new TypeError(`The answer was ${status}, but no JSON.`);
    return { status, etag, body: body as T };
  }
  // What others answer, such as a proxy, may repeat the request with its token.
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = (isProblem && body) || {};
  const { code = 'error', detail } = problem as { code?: string; detail?: string };
  throw new WaystationRefusalError(status, code, detail, problem);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** An environment variable; undefined where it is empty. */
export function env(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** A query, without what is undefined. */
export function queryOf(parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return `?${query.toString()}`;
}
