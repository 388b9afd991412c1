import type { ChannelAgent } from '../accounts/channel-agent.entity.js';
import type { RoutingMode } from '../accounts/channel.entity.js';

/** Which agent gets what. */
export interface Route {
  agentName: string;
  text: string;
}

/**
 * Where a message goes: in mode `command` that of `/name text` to the agent with this command, without the command word;
 * everything else to the default agent, as it is. Null where there is none.
 */
export function routeOf(text: string, mode: RoutingMode, agents: readonly ChannelAgent[]): Route | null {
  const command = mode === 'command' ? /^(\/\S+)(?:\s+([\s\S]*))?$/.exec(text) : null;
  const named = command && agents.find((agent) => agent.command === command[1]!.toLowerCase());
  // A command with nothing after it sends its own word: no run starts without a message.
  if (named) return { agentName: named.agent_name, text: command[2]?.trim() || command[1]! };
  const fallback = agents.find(({ is_default }) => is_default);
  return fallback ? { agentName: fallback.agent_name, text } : null;
}
