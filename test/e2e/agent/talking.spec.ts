import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startOf } from '../../../src/common/process-start.js';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { ApiClient } from '../../support/api-client.js';
import { runCommand } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const REFUND = path.resolve(import.meta.dirname, '../../../examples/agents/refund.mjs');
const AGENTS = {
  good: { command: ['sh', '-c', 'echo fine; echo warned >&2'] },
  bad: { command: ['sh', '-c', 'echo first >&2; echo "ValueError: broken" >&2; exit 3'] },
  absent: { command: ['no-such-program'] },
  remorseful: { command: ['sh', '-c', `echo '{"type":"thread_error","data":{"error":{"message":"I gave up"}}}'`] },
  refund: { command: ['node', REFUND] },
  slow: { command: ['sh', '-c', 'echo pid $$ >&2; exec sleep 600'] },
};
/** Far longer than any test may take: if it ends earlier, nobody waited for it. */
const LONG_MS = '600000';

const server = useServer();

function start(env: Record<string, string> = {}): Promise<AgentRunner> {
  const { storage, api } = server;
  const own = { WAYSTATION_LOG_LEVEL: 'info', WAYSTATION_SHUTDOWN_TIMEOUT_MS: LONG_MS, ...env };
  return AgentRunner.start({ storage, apiUrl: api.baseUrl, agents: AGENTS, env: own });
}

/** The log line of an event about a run. */
async function lineOf(runner: AgentRunner, event: string, runId: string): Promise<Record<string, unknown>> {
  return waitFor(`"${event}" in the log`, () => {
    const lines = runner.printed.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return parsed.find(({ msg, trace_id }) => msg === event && trace_id === runId);
  });
}

describe('The log of an agent process', () => {
  let runner: AgentRunner;
  beforeAll(async () => {
    runner = await start();
  });
  afterAll(() => runner.stop());

  it.each([
    ['good', 'run completed', {}],
    ['bad', 'run failed', { error: 'The program ended with exit code 3.', stderr: 'ValueError: broken' }],
    ['absent', 'run failed', { error: expect.stringContaining('no-such-program could not be started (ENOENT)') }],
    ['remorseful', 'run failed', { error: 'I gave up' }],
  ])('has a line for the end of each run, as that of %s', async (agent, event, facts) => {
    const { threadId, runId } = await runner.launch(agent, newThreadId());
    const line = await lineOf(runner, event, runId);
    expect(line).toMatchObject({ agent, thread_id: threadId, duration_ms: expect.any(Number), ...facts });
    if (agent !== 'absent') await lineOf(runner, 'run started', runId);
  });

  it('has a line when a run begins to wait for a person', async () => {
    const { threadId, runId } = await runner.launch('refund', newThreadId());
    expect(await lineOf(runner, 'run waits for a person', runId)).toMatchObject({ agent: 'refund', tools: ['refund'] });
    expect((await server.api.post(`/approvals/${runId}/1/approve`)).status).toBe(200);
    await lineOf(runner, 'run completed', runId);
    await endOf(server.api, threadId);
  });

  it('does not have what programs write to standard error', () => {
    expect(runner.printed).not.toContain('warned');
  });
});

describe('An agent process that is stopped', () => {
  it('does not wait for a run that waits for a person, which goes on later', async () => {
    const runner = await start();
    const { threadId, runId } = await runner.launch('refund', newThreadId());
    await lineOf(runner, 'run waits for a person', runId);
    expect(await runner.stop()).toBe(0);
    expect(await lineOf(runner, 'run interrupted', runId)).toMatchObject({ was_waiting: true });
    expect((await server.api.post(`/approvals/${runId}/1/approve`)).status).toBe(200);
    const again = await start();
    expect((await endOf(server.api, threadId)).status).toBe('completed');
    expect(await again.stop()).toBe(0);
  });
});

describe('waystation agent --check', () => {
  it('warns about programs that are not there, and says that the file is valid', async () => {
    const file = path.join(server.storage.home, 'check.json');
    const agents = { ...AGENTS, here: { command: ['./nothing'] } };
    await writeFile(file, JSON.stringify({ agents }));
    const { code, stdout, stderr } = await runCommand(server.storage, ['agent', file, '--check']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('is valid')]);
    expect(stderr.trim().split('\n')).toEqual([
      'Warning: agents.absent.command: no-such-program is not in the PATH',
      `Warning: agents.here.command: ${path.join(server.storage.home, 'nothing')} is no program that can be started`,
    ]);
  });
});

const onTerminal = canOpenTerminals() ? describe : describe.skip;

onTerminal('An agent process on a terminal', () => {
  it('tells in sentences what happens, and a second Ctrl+C ends it with its programs', async () => {
    const { storage } = server;
    const file = path.join(storage.home, 'terminal.json');
    const triggers = Object.keys(AGENTS).map((name) => ({ type: 'webhook', endpoint: `/${name}`, target_agent: name }));
    await writeFile(file, JSON.stringify({ agents: AGENTS, triggers }));
    const env = { WAYSTATION_AGENT_PORT: '0', WAYSTATION_SHUTDOWN_TIMEOUT_MS: LONG_MS };
    const terminal = PseudoTerminal.open(storage, ['agent', file, '--verbose'], { env, columns: 200 });
    try {
      await terminal.until(/health +http:\/\/127\.0\.0\.1:\d+\/health/);
      const address = /health +(http:\/\/127\.0\.0\.1:\d+)/.exec(terminal.text)![1]!;
      const agents = new ApiClient(address, '');
      const launch = (name: string) => agents.post(`/${name}`, { message: 'hello' }, { token: null });
      await launch('absent');
      await terminal.until(
        /absent [0-9a-f]{8} failed after [^:]+: The program no-such-program could not be started \(ENOENT\)\. See: npx waystation show [0-9a-f]{8}\n/,
      );
      await launch('bad');
      await terminal.until(/bad [0-9a-f]{8} \| first\n/);
      await terminal.until(/bad [0-9a-f]{8} failed .*exit code 3\. It said last: ValueError: broken\. See: /);
      await launch('refund');
      await terminal.until(
        /refund [0-9a-f]{8} waits for a person to decide on refund\. See: npx waystation approvals\n/,
      );
      await launch('slow');
      await terminal.until(/slow [0-9a-f]{8} \| pid \d+\n/);
      terminal.type('\u0003');
      await terminal.until(/waiting up to 10 min 0 s for slow [0-9a-f]{8}; Ctrl\+C again ends the process at once\n/);
      await terminal.until(/refund [0-9a-f]{8} waits for a person; it resumes at the next start\n/);
      terminal.type('\u0003');
      // 130 if the shell between them ends by the same key.
      expect([1, 130]).toContain(await terminal.end());
      agents.close();
      const pid = Number(/slow [0-9a-f]{8} \| pid (\d+)\n/.exec(terminal.text)![1]);
      await waitFor('the program to be gone', () => startOf(pid) === null);
    } finally {
      terminal.kill();
    }
  });
});
