import { objectOf } from '../../../common/json-fields.js';
import { parsedJson } from '../../../common/parsed-json.js';
import { cutText } from '../../../common/cut-text.js';
import { escapeInvisible } from '../../../common/invisible-characters.js';

/** The agent may take the message later. */
interface AwayInvocation {
  kind: 'away';
  reason: string;
  /** Null without a response. */
  status: number | null;
  retryAfterMs: number | null;
  /** Whether it may have taken the message, because only the response is missing. */
  mayHaveTaken: boolean;
}

export type Invocation =
  /** `threadId` is null if the agent does not say; then it is the requested one. */
  | { kind: 'started'; runId: string; threadId: string | null }
  | AwayInvocation
  /** It will never take the message. `detail` is its own explanation; `isKeyReused` if it knows the key from another request. */
  | { kind: 'refused'; reason: string; status: number; detail: string | null; isKeyReused?: boolean };

const MAX_ID = 512;
const MAX_DETAIL = 500;
/** About the way to the agent (moved, another token, another process at its address), not about the message. */
const PASSING = [401, 403, 404, 405, 407, 408, 421, 425, 429];

export const KEY_REUSED = 'idempotency_key_reused';

/** An error behind the agent's endpoint, or in a proxy before it. */
const UNSURE = [500, 502, 504];

/** @param retryAfter the header's value; null if there is none */
export function readInvocation(status: number, retryAfter: string | null, text: string): Invocation {
  const response = objectOf(parsedJson(text)) ?? {};
  if (status >= 200 && status < 300) {
    const runId = idIn(response, 'run_id');
    if (runId !== null) return { kind: 'started', runId, threadId: idIn(response, 'thread_id') };
    return { kind: 'refused', reason: `the agent answered ${status} without a run_id`, status, detail: null };
  }
  const reason = `the agent answered ${status}`;
  const isPassing = status < 400 || status >= 500 || PASSING.includes(status);
  const mayHaveTaken = UNSURE.includes(status);
  if (isPassing) return { kind: 'away', reason, status, retryAfterMs: secondsOf(retryAfter), mayHaveTaken };
  const isKeyReused = status === 422 && response.code === KEY_REUSED;
  return { kind: 'refused', reason, status, detail: detailIn(response), isKeyReused };
}

/** The agent could not be asked, or did not answer; then it may have taken the message. */
export function unreachable(reason: string, mayHaveTaken: boolean): AwayInvocation {
  return { kind: 'away', reason, status: null, retryAfterMs: null, mayHaveTaken };
}

function idIn(response: Record<string, unknown>, name: string): string | null {
  const id = response[name];
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID && !/\p{Cc}/u.test(id) ? id : null;
}

function detailIn({ detail }: Record<string, unknown>): string | null {
  return typeof detail === 'string' && detail !== '' ? escapeInvisible(cutText(detail, MAX_DETAIL)) : null;
}

/** Only seconds: a date would depend on the agent's clock. */
function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}
