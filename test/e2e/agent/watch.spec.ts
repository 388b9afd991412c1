import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { freePort } from '../../support/free-port.js';
import { waitFor } from '../../support/wait.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const webhook = (name: string, port?: number) => ({ type: 'webhook', endpoint: `/${name}`, target_agent: name, port });
const nightly = { type: 'schedule', cron: '30 2 * * *', message: 'tick' };

describe('waystation agent --watch', () => {
  let file: string;
  let runner: AgentRunner;

  /** Saves like an editor: a new file replaces the old one. */
  async function save(text: string): Promise<void> {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
  const told = (words: RegExp, count = 1) =>
    waitFor(`${words} in the log`, () => [...runner.printed.matchAll(new RegExp(words, 'g'))].length >= count);

  beforeAll(async () => {
    file = path.join(server.storage.home, 'watched.json');
    const gate = path.join(server.storage.home, 'gate');
    const agents = { first: { command: ['sh', '-c', `until [ -e '${gate}' ]; do sleep 0.1; done; echo old answer`] } };
    await save(JSON.stringify({ agents, triggers: [webhook('first'), nightly] }));
    const env = { WAYSTATION_LOG_LEVEL: 'info' };
    runner = await AgentRunner.startFile(file, {
      storage: server.storage,
      apiUrl: server.api.baseUrl,
      env,
      args: ['--watch'],
    });
  });
  afterAll(() => runner.stop());

  it('takes a change over while a run goes on as it began, and lets nothing that is faulty in', async () => {
    const before = await runner.launch('first', newThreadId());
    await told(/"msg":"run started"/);

    await save('{ "agents": {} }');
    await told(/"faults":\["agents: must have at least one agent"\],"msg":"the changed definition is invalid/);
    expect((await runner.post('nobody', { message: 'x' })).status).toBe(404);

    const agents = {
      first: { command: ['sh', '-c', 'echo new answer'] },
      second: { command: ['sh', '-c', 'echo second answer'] },
    };
    const port = await freePort();
    const triggers = [webhook('second', port), nightly, webhook('first')];
    await save(JSON.stringify({ agents, triggers }));
    await told(/"msg":"definition reloaded"/);

    const elsewhere = await fetch(`http://127.0.0.1:${port}/second`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'hello', thread_id: 'of-second' }),
    });
    expect(elsewhere.status).toBe(202);
    const after = await endOf(server.api, 'of-second');
    expect(JSON.stringify(after)).toContain('second answer');

    await writeFile(path.join(server.storage.home, 'gate'), '');
    expect(JSON.stringify(await endOf(server.api, before.threadId))).toContain('old answer');
    const again = await runner.launch('first', newThreadId());
    expect(JSON.stringify(await endOf(server.api, again.threadId))).toContain('new answer');
  });

  it('starts waiting runs by the new file, at once where it allows more, and judges begun ones by the old', async () => {
    const door = path.join(server.storage.home, 'door');
    const step = { step_index: 0, run_cost_usd: 0.5, history: [{ role: 'assistant', content: 'costly answer' }] };
    const print = `echo '${JSON.stringify({ type: 'checkpoint', data: step })}'`;
    const costly = { command: ['sh', '-c', `until [ -e '${door}' ]; do sleep 0.1; done; ${print}`], concurrency: 1 };
    const saveAgent = (queue: object) => save(JSON.stringify({ agents: { queue }, triggers: [webhook('queue')] }));
    await saveAgent(costly);
    await told(/"msg":"definition reloaded"/, 2);
    const begun = await runner.launch('queue', newThreadId());
    await told(/"msg":"run started"/, 4);
    const waiting = await runner.launch('queue', newThreadId());
    await saveAgent({ command: ['sh', '-c', 'echo second command'], concurrency: 2, budget_usd: 0.1 });
    expect(JSON.stringify(await endOf(server.api, waiting.threadId))).toContain('second command');
    await writeFile(door, '');
    expect(await endOf(server.api, begun.threadId)).toMatchObject({ status: 'completed', run_cost_usd: 0.5 });
  });

  it('stops listening where the file no longer asks for it, and takes no agent that is gone', async () => {
    await save(JSON.stringify({ agents: { third: { command: ['cat'] } }, triggers: [webhook('third')] }));
    await told(/"msg":"definition reloaded"/, 4);
    expect((await runner.post('first', { message: 'x' })).status).toBe(404);
    expect((await runner.post('third', { message: 'x' })).status).toBe(202);
  });
});
