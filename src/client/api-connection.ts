import { ApiAddress } from '../common/api-address.js';
import type { BackoffLimits } from '../common/backoff.js';
import { joinAborts } from '../common/joined-abort.js';
import { timeLimit } from '../common/time-limit.js';

/** A complete answer of the API. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface ApiRequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** JSON text. */
  body?: string;
  headers?: Record<string, string>;
  /** Milliseconds after which the request fails. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Another token than the connection's own. */
  token?: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Once the API is back, its clients reconnect within 15 seconds. */
export const API_BACKOFF: BackoffLimits = { firstMs: 200, longestMs: 5_000, hasJitter: true };

/** Requests to the API with the bearer token. Redirects are not followed: they would carry the token elsewhere. */
export class ApiConnection {
  private readonly address: ApiAddress;

  /** @param api base address, with or without a trailing slash */
  constructor(
    api: string | ApiAddress,
    private readonly token: string,
  ) {
    this.address = typeof api === 'string' ? new ApiAddress(api) : api;
  }

  /** Base address without a trailing slash; it may change when there is no answer. */
  get url(): string {
    return this.address.current;
  }

  /** @throws TypeError or DOMException, as `fetch` does, when there is no answer */
  async send(path: string, options: ApiRequestOptions = {}): Promise<ApiAnswer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    const limit = timeLimit(timeoutMs, new DOMException('No answer in time.', 'TimeoutError'));
    const end = joinAborts(limit.signal, ...(signal ? [signal] : []));
    try {
      const answer = await this.exchange(path, options, end.signal);
      if (answer.status >= 400) this.address.lookAgain();
      return answer;
    } catch (error) {
      this.address.lookAgain();
      throw error;
    } finally {
      limit.clear();
      end.release();
    }
  }

  private async exchange(path: string, options: ApiRequestOptions, signal: AbortSignal): Promise<ApiAnswer> {
    const { method = 'GET', body, headers, token = this.token } = options;
    const response = await fetch(this.address.current + path, {
      method,
      body,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
