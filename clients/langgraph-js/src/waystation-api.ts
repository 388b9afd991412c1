/** Where the server is, and for whom the saver speaks. */
export interface ApiOptions {
  /** The server; by default `WAYSTATION_API_URL`, else `http://127.0.0.1:8000`. */
  apiUrl?: string;
  /** A token of scope `runner`; by default `WAYSTATION_TOKEN`. */
  token?: string;
  /** Milliseconds for which a request is tried again while the server is away; 60,000 by default. */
  retryMs?: number;
}

/** The server refused a request. */
export class WaystationError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** The whole problem document. */
    readonly problem: Record<string, unknown>,
  ) {
    super(detail);
    this.name = 'WaystationError';
  }
}

/** An answer with a body; null for 204, 304 and 404. */
export interface ApiAnswer<T> {
  status: number;
  etag: string | null;
  body: T | null;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** A long poll holds a request for up to a minute. */
const TIMEOUT_MS = 90_000;

/** Calls the server. Every request may be sent again: the same once more changes nothing. */
export class WaystationApi {
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

  /** @throws WaystationError for a refusal, but for 404; TypeError where the server stays away */
  async send<T>(method: string, path: string, body?: string, options: SendOptions = {}): Promise<ApiAnswer<T>> {
    const untilMs = Date.now() + this.retryMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      options.signal?.throwIfAborted();
      const mayRetry = Date.now() + pauseMs < untilMs;
      try {
        const answer = await this.exchange(method, path, body, options);
        const answered = await read<T>(answer, mayRetry);
        if (answered) return answered;
      } catch (error) {
        if (error instanceof WaystationError || options.signal?.aborted || !mayRetry) throw error;
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
}

/** Null where it should be tried again. */
async function read<T>(answer: Response, mayRetry: boolean): Promise<ApiAnswer<T> | null> {
  const { status } = answer;
  const etag = answer.headers.get('etag');
  const text = await answer.text();
  if (status === 204 || status === 304 || status === 404) return { status, etag, body: null };
  if (answer.ok) return { status, etag, body: JSON.parse(text) as T };
  if (status === 503 && mayRetry) return null;
  const problem = problemIn(text);
  throw new WaystationError(
    status,
    String(problem.code ?? 'error'),
    `${status}: ${String(problem.detail ?? text)}`,
    problem,
  );
}

function problemIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
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
