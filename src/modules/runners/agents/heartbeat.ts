import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';
import type { QueuedRunKind } from '../../../common/contract/queued-run.js';

/** A run that was accepted but not started. */
export interface ReportedQueuedRun {
  threadId: string;
  traceId: string;
  /** When the process accepted it, by its clock. */
  queuedAtMs: number;
  /** Null if the process does not say. */
  kind: QueuedRunKind | null;
}

/** An agent's heartbeat, every 15 seconds. It belongs to no thread. */
export interface Heartbeat {
  agentId: string;
  /** Base address for `/invoke`; null if this server cannot start the agent. */
  endpoint: string | null;
  /** The token that `/invoke` expects, a secret; null for none. */
  invokeToken: string | null;
  triggers: AgentTrigger[];
  /** The process, the same after a restart; null if it reports no queue. */
  processId: string | null;
  /** The agent's runs that are queued in the process. */
  queuedRuns: ReportedQueuedRun[];
}
