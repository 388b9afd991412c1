import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { runCommand } from '../../support/command.js';
import { effectOf, effectsOf } from '../../support/effects.js';
import { checkpointsOf, latestOf, runStatusOf, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../examples');
const REFUND = ['node', path.join(EXAMPLES, 'agents/refund.mjs')];
/** A file in the definition's folder. */
const KILLED_PID = 'killed.pid';

const server = useServer();
let agents: AgentRunner;

const inFolder = (file: string) => path.join(server.storage.home, 'agents', file);
/** The bank pays but does not respond before the program is killed; a second payment would wait for it too. */
const silentBank = (name: string) => ({ EXAMPLE_BANK: inFolder(name), EXAMPLE_BANK_SECONDS: '600' });
const start = () => {
  const known = {
    refund: { command: REFUND },
    research: { command: ['python3', path.join(EXAMPLES, 'agents/research.py')] },
    asking: { command: REFUND, env: silentBank('asking.jsonl') },
    looking: {
      command: [
        ...['sh', '-c', `echo $$ > ${KILLED_PID}; exec python3 "$0"`],
        path.join(EXAMPLES, 'python-agent/with_client.py'),
      ],
      env: silentBank('looking.jsonl'),
    },
  };
  return AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: known });
};
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

const paidBy = (bank: string) => (existsSync(inFolder(bank)) ? readFileSync(inFolder(bank), 'utf8') : '').split('\n');
/** Its lease is released shortly after its end is reported. */
const untilInDoubt = (threadId: string, runId: string) =>
  waitFor('the call to be in doubt', async () => {
    const [effect] = await effectsOf(server.api, threadId);
    return effect?.trace_id === runId && effect.state === 'started' && effect.in_doubt;
  });
const untilPaid = (bank: string) => waitFor('the bank to pay', () => paidBy(bank).length === 2);

async function untilStatus(threadId: string, status: string): Promise<void> {
  const isSo = async () => (await runStatusOf(server.api, threadId).catch(() => '')) === status;
  await waitFor(`the status ${status}`, isSo);
}

async function retry(threadId: string, runId: string): Promise<void> {
  expect((await server.api.post(threadPath(threadId, `/runs/${runId}/retry`))).status).toBe(202);
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
    // By then the killed process's leftovers have ended, so nothing is killed while it pays.
    agents = await start();
    expect((await server.api.post(`/approvals/${runId}/1/approve`)).status).toBe(200);
    expect(await endOf(server.api, threadId)).toMatchObject({ status: 'completed' });
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

describe('A refund that was killed while the bank paid', () => {
  it('is in doubt for the program that the next agent process starts, until a person settles it: money moves once', async () => {
    const threadId = newThreadId();
    const { runId } = await agents.launch('asking', threadId, 'my money, please');
    await untilWaiting(threadId);
    expect((await server.api.post(`/approvals/${runId}/1/approve`)).status).toBe(200);
    await untilPaid('asking.jsonl');
    await agents.kill();
    agents = await start();
    await untilStatus(threadId, 'error');
    await untilInDoubt(threadId, runId);
    const env = { WAYSTATION_API_URL: server.api.baseUrl };
    const listed = await runCommand(server.storage, ['effects', '--thread', threadId, '--in-doubt'], env);
    expect(listed.stdout).toContain(`refund:${runId}`);
    const words = [threadId, `refund:${runId}`, 'completed', '--result', '"paid, says the bank"'];
    expect((await runCommand(server.storage, ['settle', ...words], env)).code).toBe(0);
    await retry(threadId, runId);
    await untilStatus(threadId, 'completed');
    const { history } = await latestOf(server.api, threadId);
    expect(history.slice(-2)).toMatchObject([{ content: 'paid, says the bank' }, { content: 'You get 19.99 back.' }]);
    expect(paidBy('asking.jsonl')).toHaveLength(2);
    expect(await effectOf(server.api, threadId, `refund:${runId}`)).toMatchObject({ state: 'completed', attempt: 1 });
  });

  it('is looked up at the bank by the agent itself, started once more by the same agent process: money moves once', async () => {
    const threadId = newThreadId();
    const { runId } = await agents.launch('looking', threadId);
    await untilPaid('looking.jsonl');
    process.kill(Number(readFileSync(inFolder(KILLED_PID), 'utf8')), 'SIGKILL');
    await untilStatus(threadId, 'error');
    await untilInDoubt(threadId, runId);
    await retry(threadId, runId);
    await untilStatus(threadId, 'completed');
    expect(paidBy('looking.jsonl')).toHaveLength(2);
    expect(await effectsOf(server.api, threadId)).toMatchObject([{ state: 'completed', attempt: 1, in_doubt: false }]);
  });
});
