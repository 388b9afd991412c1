import { ApiAddress } from '../common/api-address.js';
import type { BackoffLimits } from '../common/backoff.js';
import { joinAborts } from '../common/joined-abort.js';
import { timeLimit } from '../common/time-limit.js';

/** A complete response of the API. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
}

export interface ApiRequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** JSON text, unless the headers name another type. */
  body?: string | Uint8Array | ReadableStream;
  headers?: Record<string, string>;
  /** Milliseconds after which the request fails. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** A token to use instead of the connection's own. */
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

  /** Base address without a trailing slash; may change when no server answers. */
  get url(): string {
    return this.address.current;
  }

  /** @throws TypeError or DOMException, as `fetch` does, when no server answers */
  async send(path: string, options: ApiRequestOptions = {}): Promise<ApiResponse> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    const limit = timeLimit(timeoutMs, new DOMException('No answer in time.', 'TimeoutError'));
    const end = joinAborts(limit.signal, ...(signal ? [signal] : []));
    try {
      const response = await this.exchange(path, options, end.signal);
      if (response.status >= 400) this.address.lookAgain();
      return response;
    } catch (error) {
      this.address.lookAgain();
      throw error;
    } finally {
      limit.clear();
      end.release();
    }
  }

  /**
   * The response as it arrives, for streams. The caller reads its body to the end or aborts `signal`; `timeoutMs` is ignored.
   * @throws TypeError as `fetch` does when no server answers; the reason of `signal`
   */
  async open(path: string, options: ApiRequestOptions & { signal: AbortSignal }): Promise<Response> {
    try {
      return await this.fetched(path, options, options.signal);
    } catch (error) {
      this.address.lookAgain();
      throw error;
    }
  }

  private async exchange(path: string, options: ApiRequestOptions, signal: AbortSignal): Promise<ApiResponse> {
    const response = await this.fetched(path, options, signal);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  private fetched(path: string, options: ApiRequestOptions, signal: AbortSignal): Promise<Response> {
    const { method = 'GET', body, headers, token = this.token } = options;
    return fetch(this.address.current + path, {
      method,
      body: body as string | ReadableStream | undefined,
      // Node requires this for streams.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal,
    });
  }
}
