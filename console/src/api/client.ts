import createClient from 'openapi-fetch';
import { reportRefused, sessionHeaders } from '../session/session.js';
import { parseExact, stringifyExact } from './exact-json.js';
import type { paths } from './openapi.gen.js';
import { Problem, Unreachable, type ProblemBody } from './problem.js';
import { reportReachable } from './reachable.js';

/** The API with the types of its document. Each call goes through {@link read}, which throws what went wrong. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send, bodySerializer: stringifyExact });

/** The data of an answer. @throws Problem where the server refused, Unreachable where it did not answer */
export async function read<Data>(answer: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await answer;
  if (error !== undefined || !response.ok) throw new Problem(problemBody(error, response));
  return data as Data;
}

/** Sends a request of this session; also for answers that are no JSON, like exports. @throws Unreachable */
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

/** Whether a proxy answers in place of the server. The server's own 502, for a platform that refused, is a problem document. */
function isOfProxy({ status, headers }: Response): boolean {
  return [502, 504].includes(status) && !headers.get('content-type')?.startsWith('application/problem+json');
}

/** The client reads JSON by `json()` or by `JSON.parse` of the text, depending on the headers; both would round numbers. */
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
