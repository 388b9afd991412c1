import { DomainError } from './domain-error.js';
import { shellWord } from './shell-word.js';

/** Whether a token bound to these agents may speak for this one. Each name stands for the agent and its sub-agents, `NAME:*`. */
export function speaksFor(agentIds: readonly string[], agentId: string): boolean {
  return agentIds.some((name) => agentId === name || agentId.startsWith(subAgentPrefix(name)));
}

/** The prefix of the names of an agent's sub-agents. */
export function subAgentPrefix(agentId: string): string {
  return `${agentId}:`;
}

/** @param act what the token may not do, up to the agent's name */
export function agentNotAllowed(agentId: string, act = 'report for'): DomainError {
  const remedy = `Use one from: waystation token create --scope runner --agents ${shellWord(agentId)}`;
  return new DomainError('forbidden', 'agent_not_allowed', `The token may not ${act} the agent ${agentId}. ${remedy}`);
}
