/** What the answer of an agent to a message means. */
export type Invocation =
  | { kind: 'started'; runId: string }
  /** It may take the message later. */
  | { kind: 'away'; reason: string; retryAfterMs: number | null }
  /** It will never take it. */
  | { kind: 'refused'; reason: string };

const MAX_RUN_ID = 512;
/** These speak of the way to the agent (moved, another token, another process at its address), not of the message. */
const PASSING = [401, 403, 404, 405, 407, 408, 421, 425, 429];

/** @param retryAfter the header's value; null where there is none */
export function readInvocation(status: number, retryAfter: string | null, text: string): Invocation {
  if (status >= 200 && status < 300) {
    const runId = runIdOf(text);
    if (runId !== null) return { kind: 'started', runId };
    return { kind: 'refused', reason: `the agent answered ${status} without a run_id` };
  }
  const reason = `the agent answered ${status}`;
  const isPassing = status < 400 || status >= 500 || PASSING.includes(status);
  return isPassing ? { kind: 'away', reason, retryAfterMs: secondsOf(retryAfter) } : { kind: 'refused', reason };
}

/** An agent that could not be asked at all. */
export function unreachable(reason: string): Invocation {
  return { kind: 'away', reason, retryAfterMs: null };
}

function runIdOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const runId = typeof value === 'object' && value !== null && 'run_id' in value ? value.run_id : null;
    const isId = typeof runId === 'string' && runId !== '' && runId.length <= MAX_RUN_ID && !/\p{Cc}/u.test(runId);
    return isId ? runId : null;
  } catch {
    return null;
  }
}

/** Only seconds: a date would need the agent's clock. */
function secondsOf(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
}
