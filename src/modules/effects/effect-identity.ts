/** Which effect is meant. */
export interface EffectAddress {
  threadId: string;
  key: string;
  /** Null where it was not said. */
  agentId: string | null;
}

/** The agent that an effect belongs to: sub-agents and instances of one share its keys. */
export function agentOf(agentId: string): string {
  const colon = agentId.indexOf(':');
  return colon === -1 ? agentId : agentId.slice(0, colon);
}

/** The agents whose effects a token sees, claims and settles; null for all. */
export class OwnAgents {
  private readonly agents: ReadonlySet<string> | null;

  /** @param allowedAgents the agents that the token may speak for; null for all */
  constructor(allowedAgents: readonly string[] | null) {
    this.agents = allowedAgents && new Set(allowedAgents.map(agentOf));
  }

  has(agent: string): boolean {
    return this.agents === null || this.agents.has(agent);
  }
}
