import { isAtRest, isEnded, RUN_STATUS } from '../../../../../src/common/contract/run-status.js';
import type { components } from '../../../api/openapi.gen.js';
import { visibleString } from '../../../lib/visible-text.js';
import type { ThreadRun } from '../data/thread-queries.js';

export type Agent = components['schemas']['AgentResponseDto'];

/** The run to cancel: the selected one, otherwise the first open one; null if all have ended. */
export function runToCancel(runs: readonly ThreadRun[], selected: ThreadRun): ThreadRun | null {
  return [selected, ...runs].find(({ status }) => !isEnded(status)) ?? null;
}

/** The selected run, if it is at rest and can be retried. */
export function runToRetry(selected: ThreadRun): ThreadRun | null {
  return isAtRest(selected.status) ? selected : null;
}

/** The cancellation that ended the run; undefined if it is open or ended otherwise. */
export function cancellationOf({ status, events }: ThreadRun) {
  return status === RUN_STATUS.cancelled ? events?.findLast(({ type }) => type === 'cancelled') : undefined;
}

/** Why this server cannot start the agent; null if it can. */
export function whyUnreachable(agents: readonly Agent[], agentId: string): string | null {
  const agent = agents.find(({ agent_id }) => agent_id === agentId);
  if (!agent) return `The agent ${visibleString(agentId)} has never been online here.`;
  if (!agent.endpoint) return `The agent ${visibleString(agentId)} cannot be started from here.`;
  return agent.online ? null : `The agent ${visibleString(agentId)} is offline.`;
}

/** The agents that can receive a message, those of the thread first. */
export function reachableAgents(agents: readonly Agent[], ofThread: readonly string[]): string[] {
  const reachable = agents
    .filter(({ online, endpoint }) => online && endpoint !== null)
    .map(({ agent_id }) => agent_id);
  const own = ofThread.filter((agent) => reachable.includes(agent));
  return [...own, ...reachable.filter((agent) => !own.includes(agent))];
}
