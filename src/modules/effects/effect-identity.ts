import type { Effect } from './effect.entity.js';

export interface EffectAddress {
  threadId: string;
  key: string;
  /** Null if not given. */
  agentId: string | null;
}

/** The agent that an effect belongs to: its sub-agents and instances share its keys. */
export function agentOf(agentId: string): string {
  const colon = agentId.indexOf(':');
  return colon === -1 ? agentId : agentId.slice(0, colon);
}

/** The agents whose effects a token may see, claim and settle; null for all. */
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

/** The run of an effect's last claim. Runs of several tokens may share a trace. */
export function runOf<Run extends { trace_id: string; agent_id: string }>(
  { trace_id, agent }: Pick<Effect, 'trace_id' | 'agent'>,
  runs: readonly Run[],
): Run | undefined {
  const ofTrace = runs.filter((run) => run.trace_id === trace_id);
  return ofTrace.find(({ agent_id }) => agentOf(agent_id) === agent) ?? ofTrace[0];
}
