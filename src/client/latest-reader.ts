import { objectOf } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import type { ApiConnection } from './api-connection.js';

/** Selects the latest checkpoint. */
export interface LatestOptions {
  /** Only the run with this trace. */
  traceId?: string;
  /** Only checkpoints of this agent. */
  agentId?: string;
  /** Whether to replace an empty history with the run's last nonempty one. */
  isForResume?: boolean;
  /** `safe`: also returns the outcomes of tool calls, and a history that providers accept. Older servers refuse it with 400. */
  resume?: 'safe';
  /** Whether lists stay empty, for callers that only watch the run. */
  isWithoutLists?: boolean;
  /** Seconds, 0 to 60, for which the server holds the request until the ETag differs from `etag`; 0 answers at once. */
  waitSeconds?: number;
  /** The ETag of the caller's last response. */
  etag?: string;
  signal?: AbortSignal;
  /** A token to use instead of the connection's own. */
  token?: string;
}

/** The same for callers that want a single response. */
export interface ResumeOptions extends Omit<LatestOptions, 'waitSeconds' | 'etag' | 'token'> {
  /** Numbers beyond JavaScript's precision, such as 9007199254740993, arrive as `ExactNumber`, which reports write with all digits. */
  isExact?: boolean;
}

/** The response to `latest`. */
export type LatestResponse =
  | { kind: 'found'; etag: string; text: string }
  | { kind: 'unchanged' }
  /** No such thread, or no checkpoint matches. */
  | { kind: 'unknown' };

/** The API refused the request, or its response is invalid. */
export class ApiRefusalError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'ApiRefusalError';
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 425 || this.status === 429;
  }
}

/** Something other than the API answered, such as a proxy while the server restarts: the request counts as unanswered. */
export class ForeignResponseError extends ApiRefusalError {
  override get isPassing(): boolean {
    return true;
  }
}

const RESPONSE_MS = 10_000;

/**
 * Reads the latest checkpoint once, as exact text.
 * @throws ApiRefusalError for a refusal or an invalid response, and as `fetch` does when no server answers
 */
export async function readLatest(
  connection: ApiConnection,
  threadId: string,
  options: LatestOptions = {},
): Promise<LatestResponse> {
  const { waitSeconds = 0, etag, signal, token } = options;
  const response = await connection.send(pathOf(threadId, options), {
    headers: etag === undefined ? {} : { 'if-none-match': etag },
    timeoutMs: waitSeconds * 1000 + RESPONSE_MS,
    signal,
    token,
  });
  const { status, headers, text } = response;
  if (status === 304) return { kind: 'unchanged' };
  const isJson = /json/.test(headers.get('content-type') ?? 'json');
  if (status === 200 && isJson) return { kind: 'found', etag: headers.get('etag') ?? '', text };
  const words = `latest was refused with status ${status}`;
  if (status === 404 && typeof objectOf(parsedJson(text))?.code === 'string') return { kind: 'unknown' };
  // After a foreign 404, the run would begin again without its history.
  if (status === 404 || status === 200) throw new ForeignResponseError(status, words);
  throw new ApiRefusalError(status, words);
}

function pathOf(threadId: string, options: LatestOptions): string {
  const { traceId, agentId, isForResume, resume, isWithoutLists, waitSeconds = 0 } = options;
  const query = new URLSearchParams();
  if (traceId !== undefined) query.set('trace_id', traceId);
  if (agentId !== undefined) query.set('agent_id', agentId);
  if (isForResume || resume) query.set('resume', resume ?? 'true');
  if (isWithoutLists) query.set('history', 'none');
  if (waitSeconds > 0) query.set('wait', String(waitSeconds));
  const text = query.toString();
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/latest${text === '' ? '' : `?${text}`}`;
}
