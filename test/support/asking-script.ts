import type { FakeAgent, Invocation, RunScript } from '../fakes/fake-agent.js';
import { latestOf } from './recording.js';
import { waitFor } from './wait.js';

/**
 * A run that waits for a person, then replies with the decision. With the message `delegate`, a sub-agent waits instead.
 * @param calls tool calls that wait
 */
export function askingScript(...calls: object[]): RunScript {
  return async (run, agent) => {
    const own = { thread_id: run.threadId, trace_id: run.runId, agent_id: agent.name };
    const asking = run.message === 'delegate' ? { ...own, trace_id: `sub-${run.runId}`, agent_id: 'refunds' } : own;
    const waiting = { ...asking, step_index: 0, status: 'waiting_for_approval', pending_tool_calls: calls };
    await agent.report({ type: 'thread_started', data: own }, { type: 'checkpoint', data: waiting });
    const status = await decisionOf(run, agent, asking.trace_id);
    await agent.answer(run, `It was ${status}.`);
  };
}

/** The status of a waiting run, once a person has decided. */
export function decisionOf({ threadId }: Invocation, agent: FakeAgent, traceId: string): Promise<string> {
  return waitFor('a decision', async () => {
    if (agent.api === null) throw new Error('The agent was closed.');
    const latest = await latestOf(agent.api, threadId, { trace_id: traceId }).catch(() => null);
    return latest !== null && ['approved', 'rejected'].includes(latest.status) ? latest.status : undefined;
  });
}
