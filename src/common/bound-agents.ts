/** Whether a token that is bound to these agents may speak for this one: each stands for itself and for its sub-agents, `NAME:*`. */
export function speaksFor(agentIds: readonly string[], agentId: string): boolean {
  return agentIds.some((name) => agentId === name || agentId.startsWith(subAgentPrefix(name)));
}

/** What the names of an agent's own sub-agents begin with. */
export function subAgentPrefix(agentId: string): string {
  return `${agentId}:`;
}
