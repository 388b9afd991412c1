import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';

/** An agent's heartbeat, every 15 seconds. It belongs to no thread. */
export interface Heartbeat {
  agentId: string;
  /** Base address for `/invoke`; null if this server cannot start the agent. */
  endpoint: string | null;
  /** The token that `/invoke` expects, a secret; null for none. */
  invokeToken: string | null;
  /** What starts it by itself. */
  triggers: AgentTrigger[];
}
