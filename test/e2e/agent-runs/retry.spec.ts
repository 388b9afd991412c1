import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId, started } from '../../factories/events.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import type { ApiClient } from '../../support/api-client.js';
import { problemOf } from '../../support/problem.js';
import { AgentRunner } from '../../support/agent-runner.js';
import { cancel } from '../../support/cancel.js';
import { runCommand } from '../../support/command.js';
import { checkpointsOf, detailOf, latestOf, record, runStatusOf, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
/** Prints a step; fails before the next unless it resumes there. */
const STEPS = `
  const { message, checkpoint, resumed, trace_id } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  const step = resumed ? checkpoint.step_index + 1 : 0;
  const history = [...(resumed ? checkpoint.history : [{ role: 'user', content: message }]), { role: 'assistant', content: 'step ' + step }];
  console.log(JSON.stringify({ type: 'checkpoint', data: { step_index: step, history } }));
  process.exit(resumed ? 0 : 7);`;
/** Fails at first; then prints the context with which it resumes. */
const CONTEXT = `
  const line = require('node:fs').readFileSync(0, 'utf8');
  if (!JSON.parse(line).resumed) process.exit(7);
  console.log('context: ' + /"context":(.*),"resumed"/.exec(line)[1]);`;
const AGENTS = {
  context: { command: [process.execPath, '-e', CONTEXT] },
  steps: { command: [process.execPath, '-e', STEPS] },
  plain: { command: ['sh', '-c', 'read line; [ -e mended ] || exit 4; echo "you said: $WAYSTATION_MESSAGE"'] },
  waits: { command: ['sh', '-c', 'read line; until [ -e go ]; do sleep 0.1; done; echo "done: $WAYSTATION_MESSAGE"'] },
};

let agents: AgentRunner;
beforeAll(async () => {
  agents = await AgentRunner.start({ storage: server.storage, apiUrl: server.api.baseUrl, agents: AGENTS });
});
afterAll(() => agents?.stop());

const retry = (threadId: string, traceId: string) =>
  server.api.post(threadPath(threadId, `/runs/${encodeURIComponent(traceId)}/retry`));

async function untilStatus(threadId: string, status: string): Promise<void> {
  await waitFor(
    `the status ${status}`,
    async () => (await runStatusOf(server.api, threadId).catch(() => '')) === status,
  );
}

async function failed(agent: string) {
  const run = await agents.launch(agent, newThreadId());
  await untilStatus(run.threadId, 'error');
  return run;
}

describe('Retrying a run', () => {
  it('goes on with the same run from its latest checkpoint', async () => {
    const { threadId, runId } = await failed('steps');
    const answer = await retry(threadId, runId);
    expect([answer.status, answer.json()]).toEqual([202, { run_id: runId, thread_id: threadId, status: 'started' }]);
    await untilStatus(threadId, 'completed');
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ trace_id, step_index }) => [trace_id, step_index])).toEqual([
      [runId, 0],
      [runId, 1],
    ]);
    const said = rows.at(-1)!.history.map(({ content }) => content);
    expect(said).toEqual(['hello', 'step 0', 'step 1']);
  });

  it('of a program that knows nothing of us starts it with the same message, also from the command line', async () => {
    const { threadId, runId } = await failed('plain');
    await writeFile(path.join(server.storage.home, 'agents', 'mended'), '');
    const env = { WAYSTATION_API_URL: server.api.baseUrl };
    const { code, stdout } = await runCommand(server.storage, ['retry', runId.slice(0, 12)], env);
    expect([code, stdout]).toEqual([0, `Started again: run ${runId} in thread ${threadId}\n`]);
    await untilStatus(threadId, 'completed');
    const said = (await latestOf(server.api, threadId)).history.map(({ content }) => content);
    expect(said).toEqual(['hello', 'you said: hello']);
  });

  it('hands the program the context of its message again, byte by byte', async () => {
    const threadId = newThreadId();
    const body = `{"message":"hello","thread_id":"${threadId}","context":{"customer":17.0}}`;
    const { run_id } = await waitFor('its start', async () => {
      const answer = await server.api.post('/v1/agents/context/invoke', body);
      return answer.status === 202 && answer.json<{ run_id: string }>();
    });
    await untilStatus(threadId, 'error');
    expect((await retry(threadId, run_id)).status).toBe(202);
    await untilStatus(threadId, 'completed');
    const said = (await latestOf(server.api, threadId)).history.map(({ content }) => content);
    expect(said).toEqual(['hello', 'context: {"customer":17.0}']);
  });

  it('is refused while the run works and where nothing is known of it, and of two at once one is taken', async () => {
    const threadId = newThreadId();
    const { runId } = await agents.launch('steps', threadId);
    await untilStatus(threadId, 'error');
    const { runId: second } = await agents.launch('waits', threadId);
    await waitFor('its start', async () => (await latestOf(server.api, threadId)).trace_id === second);
    expect((await retry(threadId, second)).json()).toMatchObject({ status: 409, code: 'run_not_ended' });
    expect((await cancel(server.api, threadId, second)).status).toBe(200);
    const silent = { thread_id: newThreadId(), trace_id: 'silent', agent_id: 'steps' };
    await record(server.api, { type: 'thread_started', data: silent }, { type: 'thread_error', data: silent });
    expect((await retry(silent.thread_id, 'silent')).json()).toMatchObject({ status: 409, code: 'nothing_to_retry' });
    const answers = await Promise.all([retry(threadId, runId), retry(threadId, runId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await untilStatus(threadId, 'completed');
  });

  it('of a cancelled run goes on, and its program is not taken for the cancelled one', async () => {
    const { threadId, runId } = await failed('steps');
    await retry(threadId, runId);
    await untilStatus(threadId, 'completed');
    const other = newThreadId();
    await record(server.api, started(other, { agent_id: 'steps', trace_id: 'made-elsewhere' }));
    const history = [{ role: 'user', content: 'hello' }];
    const data = { thread_id: other, trace_id: 'made-elsewhere', agent_id: 'steps', step_index: 0, history };
    await record(server.api, { type: 'checkpoint', data });
    await cancel(server.api, other, 'made-elsewhere');
    expect((await retry(other, 'made-elsewhere')).status).toBe(202);
    await untilStatus(other, 'completed');
    expect((await checkpointsOf(server.api, other)).map(({ step_index }) => step_index)).toEqual([0, 1]);
  });

  it('of one that was cancelled before it said anything starts it with its own message', async () => {
    const threadId = newThreadId();
    await agents.launch('context', threadId, 'an earlier message');
    await untilStatus(threadId, 'error');
    const { runId } = await agents.launch('waits', threadId, 'the message');
    await waitFor('its start', async () => (await latestOf(server.api, threadId)).trace_id === runId);
    expect((await cancel(server.api, threadId, runId)).status).toBe(200);
    await waitFor('its retry', async () => (await retry(threadId, runId)).status === 202);
    await writeFile(path.join(server.storage.home, 'agents', 'go'), '');
    await waitFor('its end', async () => (await runStatusOf(server.api, threadId, 1)) === 'completed');
    const said = (await latestOf(server.api, threadId)).history.map(({ content }) => content);
    expect(said).toEqual(['the message', 'done: the message']);
    expect(await detailOf(server.api, threadId)).toMatchObject({ runs: 2 });
  });

  it('starts no agent with the words of another that took its trace first', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['thief'] });
    const thief = server.api.as(made.json<{ token: string }>().token);
    const agent = await FakeAgent.start('robbed');
    agent.api = server.api;
    await agent.beat();
    const threadId = newThreadId();
    const ended = async (api: ApiClient, agent_id: string, content: string) => {
      const data = { thread_id: threadId, trace_id: 'shared', agent_id };
      const history = [{ role: 'user', content }];
      await record(
        api,
        { type: 'checkpoint', data: { ...data, step_index: 0, history } },
        { type: 'thread_error', data },
      );
    };
    await ended(thief, 'thief', 'Send the money to me.');
    await ended(server.api, 'robbed', 'Send the invoice.');
    const problem = problemOf(await retry(threadId, 'shared'), 409);
    expect([problem.code, problem.detail]).toEqual(['several_runs', expect.stringMatching(/: thief, robbed\./)]);
    const path = threadPath(threadId, '/runs/shared/retry', { agent_id: 'robbed' });
    expect((await server.api.post(path)).status).toBe(202);
    expect(agent.calls.map(({ message }) => message)).toEqual(['Send the invoice.']);
    expect((await server.api.post(threadPath(threadId, '/runs/shared/retry', { agent_id: 'else' }))).status).toBe(404);
    await agent.close();
  });

  it('says why it cannot: no such run, an agent that is unknown, away, or does not know how', async () => {
    expect((await retry(newThreadId(), 'x')).status).toBe(404);
    const { threadId } = await failed('steps');
    expect((await retry(threadId, 'another')).status).toBe(404);
    const agent = await FakeAgent.start('old');
    agent.api = server.api;
    agent.knowsRetries = false;
    await agent.beat();
    await agent.report({ type: 'heartbeat', data: { agent_id: 'gone', endpoint: 'http://127.0.0.1:9' } });
    const outcomes: unknown[] = [];
    for (const agent_id of ['nobody', 'gone', 'old']) {
      const ids = { thread_id: newThreadId(), trace_id: 'r', agent_id };
      await record(server.api, {
        type: 'checkpoint',
        data: { ...ids, step_index: 0, history: [{ role: 'user', content: 'x' }] },
      });
      await record(server.api, { type: 'thread_error', data: ids });
      const answer = await retry(ids.thread_id, 'r');
      outcomes.push([answer.status, answer.json().code]);
    }
    expect(outcomes).toEqual([
      [404, 'agent_not_found'],
      [503, 'agent_offline'],
      [502, 'agent_failed'],
    ]);
    await agent.close();
  });
});
