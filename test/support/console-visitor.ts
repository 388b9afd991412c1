import type { Answer, ApiClient } from './api-client.js';

export interface SessionRecord extends Record<string, unknown> {
  id: string;
  scope: string;
  name: string;
}

type Headers = Record<string, string>;

/** The console's page as the server sees it: a cookie, a key, and the browser's headers. */
export class ConsoleVisitor {
  private constructor(
    readonly api: ApiClient,
    readonly session: SessionRecord,
    /** `name=value`, in the form that browsers send. */
    readonly cookie: string,
    readonly key: string,
    /** The response that began the session. */
    readonly begun: Answer,
  ) {}

  /** Signs in with a code created with the token of `api`. */
  static async signIn(api: ApiClient, order: object = {}): Promise<ConsoleVisitor> {
    return ConsoleVisitor.signInWith(api, await newCode(api, order));
  }

  static async signInWith(api: ApiClient, code: string): Promise<ConsoleVisitor> {
    const answer = await exchange(api, code);
    if (answer.status !== 201) throw new Error(`Not signed in: ${answer.status} ${answer.text}`);
    const { key, session } = answer.json<{ key: string; session: SessionRecord }>();
    const cookie = answer.headers['set-cookie']![0]!.split(';')[0]!;
    return new ConsoleVisitor(api, session, cookie, key, answer);
  }

  /** The same visitor at another instance. */
  at(api: ApiClient): ConsoleVisitor {
    return new ConsoleVisitor(api, this.session, this.cookie, this.key, this.begun);
  }

  /** @param headers replace the page's own; an empty one is omitted */
  send(method: string, path: string, body?: object | string, headers: Headers = {}): Promise<Answer> {
    const own: Headers = {
      cookie: this.cookie,
      'x-waystation-console': this.key,
      'sec-fetch-site': 'same-origin',
      ...(method === 'GET' ? {} : { origin: this.api.baseUrl }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== ''));
    return this.api.send(method, path, body, { token: null, headers: sent });
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: object | string, headers?: Headers): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  delete(path: string, headers?: Headers): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers);
  }
}

export async function newCode(api: ApiClient, order: object = {}): Promise<string> {
  const answer = await api.post('/v1/console/codes', order);
  if (answer.status !== 201) throw new Error(`No code: ${answer.status} ${answer.text}`);
  return answer.json<{ code: string }>().code;
}

/** The page's request with a code; `headers` replace its own. */
export function exchange(
  api: ApiClient,
  code: string,
  headers: Headers = { origin: api.baseUrl },
  more: object = {},
): Promise<Answer> {
  return api.post('/v1/console/sessions', { code, ...more }, { token: null, headers });
}

/** The same from a page that can repeat the request. */
export function exchangeWith(api: ApiClient, code: string, proof: string): Promise<Answer> {
  return exchange(api, code, undefined, { proof });
}
