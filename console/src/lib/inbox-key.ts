/** Identifies the pending calls of a step. Changed calls and a further attempt have a different key. */
export function approvalKey(call: {
  thread_id: string;
  trace_id: string;
  step: number;
  attempt: number;
  digest: string;
}): string {
  return JSON.stringify([call.thread_id, call.trace_id, call.step, call.attempt, call.digest]);
}

/** Identifies an effect in doubt. */
export function effectKey(effect: { thread_id: string; agent_id: string; key: string; attempt: number }): string {
  return JSON.stringify(['effect', effect.thread_id, effect.agent_id, effect.key, effect.attempt]);
}
