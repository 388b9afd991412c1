import type { CallsOpened } from '../threads/threads.contract.js';
import { draftApproval } from './approval-draft.js';
import { showCalls } from './decision/shown-calls.js';

/** What a person is asked, without the arguments. */
export interface AskedCalls {
  /** The names of the tools; null for a call that names none. */
  tools: readonly (string | null)[];
  /** Null if it never expires. */
  expiresAtMs: number | null;
}

/** Most tools named; a person could not read more. */
const MAX_TOOLS = 20;

/** @param timeoutSeconds for checkpoints without their own timeout; 0 for none */
export function askedCalls(threadId: string, fact: CallsOpened, nowMs: number, timeoutSeconds: number): AskedCalls {
  const { tool_calls, expires_at } = draftApproval(threadId, fact, nowMs, timeoutSeconds);
  const { calls } = showCalls(tool_calls);
  return { tools: calls.slice(0, MAX_TOOLS).map(({ name }) => name), expiresAtMs: expires_at };
}
