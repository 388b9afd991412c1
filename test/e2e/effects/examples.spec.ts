import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { effectOf, effectsOf, gist, settle } from '../../support/effects.js';
import { latestOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../examples');
const FOR_EVER = { EXAMPLE_BANK_SECONDS: '600' };
const AT_ONCE = { EXAMPLE_BANK_SECONDS: '0' };

const server = useServer();
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

class Example {
  output = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static start(command: string, args: readonly string[], env: Record<string, string>, input = ''): Example {
    const { PATH, HOME } = process.env;
    const own = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token, ...env };
    const child = spawn(command, args, { env: { PATH, HOME, ...own } });
    child.stdin.end(input);
    children.push(child);
    return new Example(child);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.end();
  }

  async end(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

describe('The refund of the example agents, killed while the bank pays', () => {
  it.each(['agent.py', 'with_client.py'])('in Python (%s) is looked up at the bank, and made once', async (file) => {
    const threadId = newThreadId();
    const bank = path.join(server.storage.home, `bank-${file}.jsonl`);
    const start = (env: Record<string, string>) =>
      Example.start('python3', [path.join(EXAMPLES, `python-agent/${file}`), threadId], {
        EXAMPLE_BANK: bank,
        ...env,
      });
    const first = start(FOR_EVER);
    await waitFor('the bank to pay', () => existsSync(bank) && readFileSync(bank, 'utf8').endsWith('\n'));
    await first.kill();
    const second = start(AT_ONCE);
    expect([await second.end(), second.output]).toEqual([0, expect.stringContaining('was in doubt: it was made')]);
    expect(readFileSync(bank, 'utf8').trim().split('\n')).toHaveLength(1);
    const key = `refund:${threadId}:NR-48213`;
    expect(await effectsOf(server.api, threadId)).toMatchObject([{ key, state: 'completed', attempt: 1 }]);
    expect((await latestOf(server.api, threadId)).status).toBe('completed');
  });

  it('in Node waits until a person has found out', async () => {
    const [threadId, traceId] = [newThreadId(), newThreadId('run')];
    const key = `refund:${traceId}`;
    const start = async (env: Record<string, string>) => {
      const checkpoint = await latestOf(server.api, threadId).catch(() => null);
      const task = { message: 'my money', thread_id: threadId, trace_id: traceId, agent_id: 'refund', checkpoint };
      return Example.start(process.execPath, [path.join(EXAMPLES, 'agents/refund.mjs')], env, JSON.stringify(task));
    };
    const first = await start(FOR_EVER);
    const approve = () => server.api.post(`/approvals/${traceId}/1/approve`);
    await waitFor('the approval', async () => (await approve()).status === 200);
    await waitFor('the claim', async () => (await effectsOf(server.api, threadId)).length === 1);
    await first.kill();
    const second = await start(AT_ONCE);
    expect([await second.end(), second.output]).toEqual([1, expect.stringContaining(`whether ${key} was paid`)]);
    expect(gist(await settle(server.api, threadId, { outcome: 'not_done', decided_by: 'ada' }, key))).toBe(
      '200 not_done',
    );
    expect(await (await start(AT_ONCE)).end()).toBe(0);
    expect(await effectOf(server.api, threadId, key)).toMatchObject({ state: 'completed', attempt: 2 });
    expect((await latestOf(server.api, threadId)).history.at(-1)).toMatchObject({ content: 'You get 19.99 back.' });
  });
});
