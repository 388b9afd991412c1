/** The query parameters of the agents' address. */
export interface AgentsSearch {
  /** The agent being started by hand; absent if none is. */
  start?: string;
}

export function agentsSearch({ start }: Record<string, unknown>): AgentsSearch {
  return typeof start === 'string' && start !== '' ? { start } : {};
}
