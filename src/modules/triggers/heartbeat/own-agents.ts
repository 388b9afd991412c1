import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';

/** What the heartbeats of this process say of its agents. */
export abstract class OwnAgents {
  /** Base address of an agent, to which `/invoke` is added; null while this process does not listen yet. */
  abstract endpointOf(agentName: string): string | null;

  /** What starts an agent, in the order of the definition file; schedules with their next firings. */
  abstract triggersOf(agentName: string): AgentTrigger[];
}
