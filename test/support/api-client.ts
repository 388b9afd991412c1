import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Replaces the machine secret; null sends no token. */
  token?: string | null;
  signal?: AbortSignal;
}

/** A response as it came over the wire. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly bytes: Buffer,
  ) {}

  get text(): string {
    return this.bytes.toString('utf8');
  }

  json<T = Record<string, unknown>>(): T {
    return JSON.parse(this.text) as T;
  }
}

type Body = string | Buffer | object;

/** Checks every response before the test sees it; throws if something is wrong with it. */
export type AnswerCheck = (method: string, path: string, answer: Answer) => void;

/** A plain HTTP client: no retries, no redirects, headers as given. */
export class ApiClient {
  // Closes idle connections before the server does after 75 seconds: a request on a closed one is lost.
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 100, timeout: 60_000 });

  constructor(
    readonly baseUrl: string,
    readonly token: string,
    private readonly check: AnswerCheck = () => undefined,
  ) {}

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, undefined, options);
  }

  /** Sends an object as JSON, a string or buffer unchanged, as JSON unless `headers` say otherwise. */
  post(path: string, body?: Body, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, body, options);
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('DELETE', path, undefined, options);
  }

  /** The same server with another token. */
  as(token: string | null): ApiClient {
    return new ApiClient(this.baseUrl, token ?? '', this.check);
  }

  close(): void {
    this.agent.destroy();
  }

  headersFor(options: RequestOptions = {}): Record<string, string> {
    const token = options.token === undefined ? this.token : options.token;
    return { ...(token ? { authorization: `Bearer ${token}` } : {}), ...options.headers };
  }

  async send(method: string, path: string, body?: Body, options: RequestOptions = {}): Promise<Answer> {
    const answer = await this.exchange(method, path, body, options);
    this.check(method, path, answer);
    return answer;
  }

  private exchange(method: string, path: string, body: Body | undefined, options: RequestOptions): Promise<Answer> {
    const bytes = body === undefined ? undefined : toBytes(body);
    const headers: Record<string, string> = {
      ...(bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}),
      ...this.headersFor(options),
    };
    return new Promise((resolve, reject) => {
      const call = request(new URL(this.baseUrl).origin, {
        method,
        path,
        headers,
        agent: this.agent,
        signal: options.signal,
      });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          resolve(new Answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
        });
      });
      call.end(bytes);
    });
  }
}

function toBytes(body: Body): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
