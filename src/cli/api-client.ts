import { ApiConnection, type ApiRequestOptions } from '../client/api-connection.js';
import { ApiRefusalError, readLatest, type LatestResponse, type LatestOptions } from '../client/latest-reader.js';
import { DEFAULT_API_URL, type ApiAddress } from '../common/api-address.js';
import { CliError, isRefusal, RefusalError } from './cli-error.js';
import { jsonMembers } from './json-members.js';

/** JSON, JSON lines, problems and streams of events. */
const OUR_TYPES = /json|^text\/event-stream/;
/** All lists of the API give so many items at once. */
const PAGE = 200;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Values of a query: what is undefined is left out, and each of a list stands by itself. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Where a token came from, for people whose token the server does not know, or does not let do what they asked. */
export interface TokenOrigin {
  name: string;
  /** Whether this machine's secret would take its place. */
  isReplaceable: boolean;
}

/** Speaks to a running API server. Where that was started again elsewhere, the next request goes there. */
export class ApiClient {
  private readonly connection: ApiConnection;

  constructor(
    private readonly address: ApiAddress,
    token: string,
    private readonly tokenOrigin: TokenOrigin,
  ) {
    this.connection = new ApiConnection(address, token);
  }

  /**
   * The answer's JSON; undefined when it has none.
   * @throws RefusalError when the server says no, CliError when it is not there: both in plain words.
   */
  async send<Answer = undefined>(
    method: ApiRequestOptions['method'],
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const text = await this.sendForText(method, path, body, headers);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /**
   * The answer as it came, for what no parser may round.
   * @param body text and streams are sent as they are
   * @throws CliError as `send`
   */
  async sendForText(
    method: ApiRequestOptions['method'],
    path: string,
    body?: object | string | ReadableStream<Uint8Array>,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const isReady = typeof body === 'string' || body instanceof ReadableStream;
    const response = await this.fetch(path, { method, headers, body: isReady ? body : JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw this.refused(response.status, text);
    this.checkResponse(response);
    return text;
  }

  /**
   * The answer's bytes while they arrive; whoever stops reading ends the request.
   * @throws CliError as `send`
   */
  async *stream(path: string): AsyncGenerator<Uint8Array> {
    const response = await this.open(path);
    try {
      yield* response.body ?? [];
    } catch {
      throw new CliError('The server broke off its answer; try again.');
    }
  }

  /**
   * An answer whose body has not been read yet.
   * @param signal ends the request, also while the body is being read
   * @throws CliError as `send`
   */
  async open(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const response = await this.fetch(path, { headers, signal });
    if (!response.ok) throw this.refused(response.status, await response.text());
    this.checkResponse(response);
    return response;
  }

  /**
   * Sends bytes as they come, and answers the answer's text.
   * @throws CliError as `send`; what reading the bytes throws
   */
  async upload(path: string, bytes: AsyncIterable<Uint8Array>, contentType: string): Promise<string> {
    let fault: unknown;
    const noted = async function* () {
      try {
        yield* bytes;
      } catch (error) {
        throw (fault = error);
      }
    };
    try {
      return await this.sendForText('POST', path, ReadableStream.from(noted()), { 'content-type': contentType });
    } catch (error) {
      throw fault ?? error;
    }
  }

  /**
   * The items of a list as exact JSON, page by page and while they arrive.
   * @param most how many to read at most
   * @throws CliError as `send`
   */
  async *items(path: string, query: Query = {}, most = Infinity): AsyncGenerator<string> {
    let { cursor } = query;
    for (let left = most; left > 0;) {
      const search = queryText({ limit: Math.min(left, PAGE), ...query, cursor });
      let next: string | null = null;
      for await (const { name, text } of jsonMembers(this.stream(`${path}?${search}`), ['items'])) {
        if (name === 'next_cursor') next = JSON.parse(text) as string | null;
        if (name !== 'items') continue;
        left -= 1;
        yield text;
      }
      if (next === null) return;
      cursor = next;
    }
  }

  /** All items of a list. @throws CliError as `send` */
  async list<Item>(path: string, query?: Query): Promise<Item[]> {
    return (await collected(this.items(path, query))).map((text) => JSON.parse(text) as Item);
  }

  /** Whether the server knows what a path names. @throws CliError as `send` */
  async exists(path: string): Promise<boolean> {
    try {
      await this.sendForText('GET', path);
      return true;
    } catch (error) {
      if (isRefusal(error, 404)) return false;
      throw error;
    }
  }

  /**
   * The latest checkpoint of a thread, with its ETag; null while the server is away.
   * @throws RefusalError when the server says no
   */
  async latest(threadId: string, options: LatestOptions): Promise<LatestResponse | null> {
    const asked = this.address.current;
    try {
      return await readLatest(this.connection, threadId, options);
    } catch (error) {
      const hasMoved = this.address.current !== asked;
      if (!(error instanceof ApiRefusalError) || error.isPassing || hasMoved) return null;
      throw new RefusalError(error.status, `The server answered with status ${error.status}.`);
    }
  }

  private async fetch(path: string, options: ApiRequestOptions): Promise<Response> {
    const { url } = this.connection;
    const { signal = new AbortController().signal } = options;
    return this.connection.open(path, { ...options, signal }).catch(() => {
      throw unreachableError(url);
    });
  }

  /** Some web servers answer every address with a page. @throws CliError for an answer that is not the API's */
  private checkResponse({ headers }: Response): void {
    const type = headers.get('Content-Type');
    if (type === null || OUR_TYPES.test(type)) return;
    const what = `What answers at ${this.address.current} is not the API of Waystation: it sends ${type}.`;
    throw new CliError(`${what} Set WAYSTATION_API_URL to the server's address, like ${DEFAULT_API_URL}.`);
  }

  /** What answers may be something else that listens there since the server has moved: then it was not the server that refused. */
  private refused(status: number, text: string): CliError {
    const asked = this.address.current;
    this.address.lookAgain();
    if (this.address.current !== asked) return unreachableError(asked);
    return new RefusalError(status, refusal(status, text) + this.originHint(status), text);
  }

  private originHint(status: number): string {
    if (![UNAUTHORIZED, FORBIDDEN].includes(status)) return '';
    const { name, isReplaceable } = this.tokenOrigin;
    if (status === UNAUTHORIZED) return ` It came from ${name}.`;
    return isReplaceable ? ` It came from ${name}; without that this command uses this machine's secret.` : '';
  }
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
  return new URLSearchParams(pairs).toString();
}

function unreachableError(apiUrl: string): CliError {
  return new CliError(
    `No API server answers at ${apiUrl}. Start one with \`waystation serve\`, or set WAYSTATION_API_URL.`,
  );
}

function refusal(status: number, text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: string };
    if (detail !== undefined) return `The server refused (${status}): ${detail}`;
  } catch {
    // Not from this server: use the status.
  }
  return `The server answered with status ${status}.`;
}
