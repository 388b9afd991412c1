/** How an address names a step's calls in the inbox: agents choose run ids, so two threads may share one. */
export function callsPlace(call: { thread_id: string; trace_id: string; step: number }): string {
  return ['calls', call.thread_id, call.trace_id, `${call.step}`].map(encodeURIComponent).join('/');
}

/** How an address names an effect in the inbox: each agent of a thread has its own keys. */
export function effectPlace(effect: { thread_id: string; agent_id: string; key: string }): string {
  return ['effect', effect.thread_id, effect.agent_id, effect.key].map(encodeURIComponent).join('/');
}
