import { ApiConnection, type ApiRequestOptions } from '../client/api-connection.js';
import { ApiRefusalError, readLatest, type LatestResponse, type LatestOptions } from '../client/latest-reader.js';
import { DEFAULT_API_URL, type ApiAddress } from '../common/api-address.js';
import { objectOf } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import { CliError, isRefusal, RefusalError } from './cli-error.js';
import { jsonMembers } from './json-members.js';

/** JSON, JSON lines, problems and streams of events. */
const OUR_TYPES = /json|^text\/event-stream/;
/** The page size of all lists. */
const PAGE = 200;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Values of a query: undefined ones are left out, and each item of a list becomes a parameter of its own. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The origin of a token, for messages about an unknown or insufficient one. */
export interface TokenOrigin {
  name: string;
  /** Whether this machine's secret would be used without it. */
  isReplaceable: boolean;
}

/** A client of a running API server. If the server restarts at another address, the next request goes there. */
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
   * The response's JSON; undefined if it has no body.
   * @throws RefusalError when the server refuses, CliError when it cannot be reached; both with messages for people
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
   * The response's text unparsed, because parsing would round numbers.
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
   * The response's bytes as they arrive. Stopping the iteration ends the request.
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
   * A response whose body has not been read yet.
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
   * Sends bytes as they come; returns the response's text.
   * @throws CliError as `send`, and whatever reading the bytes throws
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
   * The items of a list as exact JSON, page by page as they arrive.
   * @param most limit of the number of items
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

  /** Whether the server knows the path. @throws CliError as `send` */
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
   * The latest checkpoint of a thread, with its ETag; null while the server cannot be reached.
   * @throws RefusalError when the server refuses
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

  /** Some web servers answer every address with a page. @throws CliError for a response that is not the API's */
  private checkResponse({ headers }: Response): void {
    const type = headers.get('Content-Type');
    if (type === null || OUR_TYPES.test(type)) return;
    const what = `What answers at ${this.address.current} is not the API of Waystation: it sends ${type}.`;
    throw new CliError(`${what} Set WAYSTATION_API_URL to the server's address, like ${DEFAULT_API_URL}.`);
  }

  /** If the server has moved, the refusal may come from another program at its old address. */
  private refused(status: number, text: string): CliError {
    const asked = this.address.current;
    this.address.lookAgain();
    if (this.address.current !== asked) return unreachableError(asked);
    const detail = refusalDetail(text);
    const hint = this.originHint(status);
    // A proxy's answer while the server restarts does not say that something is gone.
    if (detail === null) return new CliError(`The server answered with status ${status}.${hint}`);
    return new RefusalError(status, `The server refused (${status}): ${detail}${hint}`, text);
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

/** The detail of the API's problem; null for something else. */
function refusalDetail(text: string): string | null {
  const { code, detail } = objectOf(parsedJson(text)) ?? {};
  return typeof code === 'string' && typeof detail === 'string' ? detail : null;
}
