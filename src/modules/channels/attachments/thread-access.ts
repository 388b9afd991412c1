import { speaksFor } from '../../../common/bound-agents.js';
import type { Principal } from '../../../common/principal.js';

/** Whether a caller may speak for a conversation's agent; a run's token only in its own thread. */
export function maySpeakIn({ agentIds, run }: Principal, threadId: string | null, agent: string | null): boolean {
  if (run !== null && run.threadId !== threadId) return false;
  return agentIds === null || (agent !== null && speaksFor(agentIds, agent));
}
