/** What the address of the agents says. */
export interface AgentsSearch {
  /** The agent that is being started by hand; absent while none is. */
  start?: string;
}

export function agentsSearch({ start }: Record<string, unknown>): AgentsSearch {
  return typeof start === 'string' && start !== '' ? { start } : {};
}
