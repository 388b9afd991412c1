/** How an address names the calls of a step in the inbox: agents choose the ids of runs, so two threads may have the same. */
export function callsPlace(call: { thread_id: string; trace_id: string; step: number }): string {
  return ['calls', call.thread_id, call.trace_id, `${call.step}`].map(encodeURIComponent).join('/');
}

/** How an address names an effect in the inbox: each agent of a thread has keys of its own. */
export function effectPlace(effect: { thread_id: string; agent_id: string; key: string }): string {
  return ['effect', effect.thread_id, effect.agent_id, effect.key].map(encodeURIComponent).join('/');
}
