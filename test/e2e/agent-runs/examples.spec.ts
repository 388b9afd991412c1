import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { checkpointsOf, latestOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const PROGRAMS = path.resolve(import.meta.dirname, '../../../examples/agents');
const AGENTS = {
  refund: { command: ['node', path.join(PROGRAMS, 'refund.mjs')] },
  research: { command: ['python3', path.join(PROGRAMS, 'research.py')] },
};

const server = useServer();
let agents: AgentRunner;

const start = () => AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
beforeAll(async () => {
  agents = await start();
});
afterAll(async () => {
  await agents?.stop();
});

async function untilWaiting(threadId: string): Promise<void> {
  await waitFor('the agent to ask', async () => {
    const latest = await latestOf(server.api, threadId).catch(() => undefined);
    return latest?.status === 'waiting_for_approval';
  });
}

describe('The example agents', () => {
  it.each([
    ['approve', 'You get 19.99 back.'],
    ['reject', 'A colleague decided that I cannot pay this back.'],
  ])('wait for a person, who may %s', async (verb, answer) => {
    const threadId = newThreadId();
    const { runId } = await agents.launch('refund', threadId, 'my money, please');
    await untilWaiting(threadId);
    expect((await server.api.post(`/approvals/${runId}/1/${verb}`)).status).toBe(200);
    const detail = await endOf(server.api, threadId);
    expect(detail.status).toBe('completed');
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ step_index }) => step_index)).toEqual([0, 1, 2]);
    expect(rows.at(-1)?.history.at(-1)).toEqual({ role: 'assistant', content: answer });
  });

  it('still wait after a crash, and act once', async () => {
    const threadId = newThreadId();
    const { runId } = await agents.launch('refund', threadId, 'my money, please');
    await untilWaiting(threadId);
    await agents.kill();
    expect((await server.api.post(`/approvals/${runId}/1/approve`)).status).toBe(200);
    agents = await start();
    await endOf(server.api, threadId);
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ step_index }) => step_index)).toEqual([0, 1, 2]);
  });

  it('in Python need nothing but the standard library, and remember the turn before', async () => {
    const threadId = newThreadId();
    for (const [turn, question] of ['tea?', 'coffee?'].entries()) {
      await agents.launch('research', threadId, question);
      const latest = await waitFor('the answer', async () => {
        const found = await latestOf(server.api, threadId).catch(() => undefined);
        return found?.status === 'completed' && found.history.length === 5 * (turn + 1) ? found : undefined;
      });
      expect(latest.history.at(-1)).toEqual({ role: 'assistant', content: `I thought about: ${question}` });
    }
  });
});
