import createClient from 'openapi-fetch';
import { reportRefused, sessionHeaders } from '../session/session.js';
import { parseExact, stringifyExact } from './exact-json.js';
import type { paths } from './openapi.gen.js';
import { Problem, Unreachable, type ProblemBody } from './problem.js';
import { reportReachable } from './reachable.js';

/** The API with its documented types. Every call goes through {@link read}, which throws on failure. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send, bodySerializer: stringifyExact });

/** The data of a response. @throws Problem if the server refused, Unreachable if it did not respond */
export async function read<Data>(answer: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await answer;
  if (error !== undefined || !response.ok) throw new Problem(problemBody(error, response));
  return data as Data;
}

/** Sends a request of this session, including for responses other than JSON, such as exports. @throws Unreachable */
export async function send(request: Request | string): Promise<Response> {
  const headed = new Request(request);
  for (const [name, value] of Object.entries(sessionHeaders())) headed.headers.set(name, value);
  try {
    const response = await fetch(headed);
    reportReachable(!isOfProxy(response));
    if (response.status === 401) reportRefused();
    return withExactJson(response);
  } catch (error) {
    if (!headed.signal.aborted) reportReachable(false);
    throw headed.signal.aborted ? error : new Unreachable(error);
  }
}

/** Whether a proxy responded instead of the server. The server's own 502, for a platform that refused, is a problem document. */
function isOfProxy({ status, headers }: Response): boolean {
  return [502, 504].includes(status) && !headers.get('content-type')?.startsWith('application/problem+json');
}

/** Depending on the headers, the client calls `json()` or `JSON.parse`; both would round numbers. */
function withExactJson(response: Response): Response {
  Object.defineProperty(response, 'json', { value: async () => parseExact(await response.text()) });
  Object.defineProperty(response, 'headers', { value: withLength(response.headers) });
  return response;
}

/** With a length, the client calls `json()`. */
function withLength(headers: Headers): Headers {
  const copy = new Headers(headers);
  if (!copy.has('content-length')) copy.set('content-length', '1');
  return copy;
}

function problemBody(error: unknown, response: Response): ProblemBody {
  if (typeof error === 'object' && error !== null && 'status' in error) return error as ProblemBody;
  const title = response.statusText || 'The server refused the request';
  return {
    type: 'about:blank',
    title,
    status: response.status,
    detail: `${title} (${response.status}).`,
  } as ProblemBody;
}
