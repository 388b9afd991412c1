import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkpoint, completed, conversation, failed, newThreadId, started } from '../../factories/events.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { Balancer } from '../../support/balancer.js';
import { runCommand } from '../../support/command.js';
import { freePort } from '../../support/free-port.js';
import { claimed, settled } from '../../support/effects.js';
import { FollowingCommand } from '../../support/following-command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { record, recordEach } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

/** Fixed, so that it is the same after a restart. */
const PORT = await freePort();
const server = useServer({ env: { WAYSTATION_PORT: String(PORT) } });
const onTerminal = canOpenTerminals() ? describe : describe.skip;
const CTRL_C = '\u0003';
const running: { kill(): void }[] = [];

const address = () => ({ WAYSTATION_API_URL: `http://127.0.0.1:${PORT}` });
afterEach(() => {
  for (const command of running.splice(0)) command.kill();
});

function tail(...args: string[]): FollowingCommand {
  const command = FollowingCommand.start(server.storage, ['tail', ...args], address());
  running.push(command);
  return command;
}

function open(args: string[], columns = 100, env: Record<string, string> = {}): PseudoTerminal {
  const terminal = PseudoTerminal.open(server.storage, args, { columns, env: { ...address(), ...env } });
  running.push(terminal);
  return terminal;
}

/** Reports steps until the command shows one and so is listening. */
async function reportUntilHeard(threadId: string, isHeard: () => boolean): Promise<void> {
  let step = 0;
  await waitFor('the first change that is heard', async () => {
    if (isHeard()) return true;
    await record(server.api, checkpoint(threadId, step, { history: conversation(2 * (step + 1)) }));
    step += 1;
    return undefined;
  });
}

const said = (command: FollowingCommand, threadId: string) =>
  command.jsonLines
    .filter(({ event, thread_id }) => event === 'log' && thread_id === threadId)
    .map(({ data }) => (data as { message: string }).message);

describe('waystation tail of one thread', () => {
  it('begins with the last changes, then tells what comes, until the thread is deleted', async () => {
    const run = newRun('one');
    const { threadId } = run;
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0, { history: conversation(2) }));
    const command = tail(threadId.slice(0, -2));
    await command.until('what was said before', ({ stdout }) => /user +/.test(stdout));
    await record(server.api, waiting(run, 1));
    await command.until('the question', ({ stdout }) =>
      stdout.includes(
        `Waits for a person:\n  issue_refund({"order":4711,"cents":1999})\n  npx waystation approve ${run.traceId} 1\n`,
      ),
    );
    await server.api.post(`/approvals/${run.traceId}/1/approve`, { decided_by: 'kim' });
    await command.until('the decision', ({ stdout }) => stdout.includes(`Step 1 of ${run.traceId}: approved by kim`));
    await record(server.api, failed(threadId, { trace_id: run.traceId, error: 'Timeout: no answer' }));
    await command.until('the end of the run', ({ stdout }) => stdout.includes('Timeout: no answer'));
    await server.api.delete(`/threads/${threadId}`);
    expect((await command.end()).code).toBe(1);
    expect(command.stderr).toBe('The thread was deleted.\n');
    expect(command.stdout).not.toContain('\u001b');
    expect(command.stdout.match(/order/g)).toHaveLength(1);
  });

  it('tells of tool calls that are claimed, in doubt and settled, and of changes that cause no event', async () => {
    const threadId = newThreadId('effects');
    await record(server.api, started(threadId));
    const [one, all] = [tail(threadId), tail('--search', threadId, '--json')];
    await one.until('the start', ({ stdout }) => stdout.includes('in_progress'));
    await reportUntilHeard(threadId, () => all.stdout !== '');
    await claimed(server.api, threadId);
    // A lease takes one of the thread's numbers, which no event has.
    expect((await server.api.post(`/v1/runners/threads/${threadId}/runs/run-1/lease`, { holder: 'h' })).status).toBe(
      201,
    );
    await settled(server.api, threadId, { outcome: 'unknown' });
    await one.until('the doubt', ({ stdout }) =>
      stdout.includes(`refund (refund:4711): in doubt\n  npx waystation settle ${threadId} refund:4711\n`),
    );
    await settled(server.api, threadId, { outcome: 'not_done' });
    await one.until('the settling', ({ stdout }) => stdout.includes('refund (refund:4711): not done'));
    await all.until('the settling', ({ stdout }) => stdout.includes('"state":"not_done"'));
  });

  it('tells of a retry, with who wanted it and why, once', async () => {
    const threadId = newThreadId('retried');
    const agent = await FakeAgent.start('retried', () => undefined);
    try {
      agent.api = server.api;
      await agent.beat();
      const run = { trace_id: 'run-1', agent_id: agent.name };
      await record(server.api, checkpoint(threadId, 0, run));
      const [one, all] = [tail(threadId), tail('--search', threadId)];
      await reportUntilHeard(threadId, () => all.stdout !== '');
      await record(server.api, failed(threadId, { ...run, error: 'Timeout: no answer' }));
      await one.until('the failure', ({ stdout }) => stdout.includes('Timeout: no answer'));
      const path = `/threads/${threadId}/runs/run-1/retry`;
      expect((await server.api.post(path, { decided_by: 'kim', reason: 'the network is back' })).status).toBe(202);
      await one.until('the retry', ({ stdout }) => stdout.includes('the network is back'));
      await record(server.api, started(threadId, run));
      await one.until('the next attempt', ({ stdout }) => /the network is back[\s\S]*in_progress/.test(stdout));
      expect(one.stdout.match(/^.*kim.*the network is back.*$/gm)).toHaveLength(1);
      await all.until('the retry', ({ stdout }) => stdout.includes('the network is back'));
    } finally {
      await agent.close();
    }
  });

  it('does not take the 404 of a load balancer, while the server restarts, for the end of the thread', async () => {
    const threadId = newThreadId('balanced');
    await record(server.api, started(threadId));
    const nobody = createServer((_, answer) => answer.writeHead(404).end('404 page not found')).listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const balancer = await Balancer.start(server.api.baseUrl);
    try {
      const env = { WAYSTATION_API_URL: balancer.url };
      const command = FollowingCommand.start(server.storage, ['tail', threadId], env);
      running.push(command);
      await command.until('the start', ({ stdout }) => stdout.includes('in_progress'));
      balancer.target = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`;
      balancer.disconnect();
      await command.until('the outage', ({ stderr }) => stderr.includes('does not answer'));
      balancer.target = server.api.baseUrl;
      await record(server.api, failed(threadId, { error: 'Timeout: no answer' }));
      await command.until('the end', ({ stdout }) => stdout.includes('Timeout: no answer'));
    } finally {
      await balancer.stop();
      nobody.close();
    }
  });

  it('begins with as many of the last changes as asked for', async () => {
    const threadId = newThreadId('last');
    for (let step = 0; step < 5; step += 1)
      await record(server.api, checkpoint(threadId, step, { history: conversation(2 * (step + 1)) }));
    const steps = ({ jsonLines }: FollowingCommand) => jsonLines.filter(({ event }) => event === 'checkpoint');
    const command = tail(threadId, '--last', '2', '--json');
    await command.until('the last step', (one) => steps(one).length > 1);
    expect(steps(command).map(({ data }) => (data as { step_index: number }).step_index)).toEqual([3, 4]);
  });

  it.each([
    [['nothing'], 1, 'There is no thread nothing.\n'],
    [['--last', '2'], 2, '--last needs a thread.\n'],
    [['x', '--agent', 'a'], 2, 'Name a thread, or choose threads with filters.\n'],
  ])('refuses %j', async (args, code, stderr) => {
    expect(await runCommand(server.storage, ['tail', ...args], address())).toEqual({ code, stdout: '', stderr });
  });

  it('says that no server answers, as every command does', async () => {
    const { code, stderr } = await runCommand(server.storage, ['tail'], { WAYSTATION_API_URL: 'http://127.0.0.1:9' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('No API server answers at http://127.0.0.1:9.')]);
  });
});

describe('waystation tail of all threads', () => {
  it('tells every new message once, across a restart of the server, which it mentions once', async () => {
    const [before, during] = [newThreadId('before'), newThreadId('during')];
    const command = tail('--json');
    await reportUntilHeard(newThreadId('first'), () => command.jsonLines.length > 0);
    await record(server.api, checkpoint(before, 0, { history: conversation(2) }));
    await command.until('a message', (one) => said(one, before).length === 2);
    await server.process.stop();
    await command.until('the outage', ({ stderr }) => stderr !== '');
    await server.restart();
    await recordEach(
      server.api,
      started(during),
      checkpoint(during, 0, { history: conversation(4) }),
      completed(during),
    );
    await record(server.api, checkpoint(before, 1, { history: conversation(6) }));
    await command.until('what came meanwhile', (one) => said(one, before).length >= 6 && said(one, during).length >= 4);
    expect(said(command, before)).toHaveLength(6);
    expect(said(command, during)).toHaveLength(4);
    const statuses = command.jsonLines.filter((line) => line.event === 'status' && line.thread_id === during);
    expect(statuses.map(({ data }) => (data as { status: string }).status)).toEqual(['in_progress', 'completed']);
    expect(command.stderr).toBe('The API server does not answer; trying again.\nThe API server answers again.\n');
  });

  it('leaves out what was said before it began, and threads that do not match', async () => {
    const [old, other] = [newThreadId('old'), newThreadId('other')];
    await record(server.api, checkpoint(old, 0, { history: conversation(4), agent_id: 'tailed' }));
    // The server's time is only known to the second.
    const began = Math.floor(Date.now() / 1000);
    await waitFor('the next second', () => Math.floor(Date.now() / 1000) > began);
    const command = tail('--agent', 'tailed', '--json');
    let step = 0;
    await waitFor('the first change that is heard', async () => {
      if (said(command, old).length > 0) return true;
      step += 1;
      await record(server.api, checkpoint(other, step));
      await record(server.api, checkpoint(old, step, { history: conversation(4 + step), agent_id: 'tailed' }));
      return undefined;
    });
    await server.api.delete(`/threads/${old}`);
    await command.until('the deletion', ({ jsonLines }) => jsonLines.at(-1)?.event === 'deleted');
    expect(new Set(command.jsonLines.map(({ thread_id }) => thread_id))).toEqual(new Set([old]));
    const firsts = conversation(4).map(({ content }) => content);
    expect(said(command, old).filter((message) => firsts.includes(message))).toEqual([]);
  });

  it('tells all that a thread from before it began brings at once, however much', async () => {
    const threadId = newThreadId('batch');
    const steps = (first: number, last: number) =>
      Array.from({ length: last - first }, (_, at) =>
        checkpoint(threadId, first + at, { history: conversation(first + at + 1), agent_id: 'batch' }),
      );
    await record(server.api, ...steps(0, 20));
    // The server's time is only known to the second.
    const began = Math.floor(Date.now() / 1000);
    await waitFor('the next second', () => Math.floor(Date.now() / 1000) > began);
    const command = tail('--json', '--search', 'batch');
    await reportUntilHeard(newThreadId('batch-other'), () => command.jsonLines.length > 0);
    await record(server.api, ...steps(20, 320));
    await command.until('the last message', (one) => said(one, threadId).length >= 300);
    expect(said(command, threadId)).toEqual(
      conversation(320)
        .slice(20)
        .map(({ content }) => content),
    );
  });

  it('ends quietly with its reader', async () => {
    const command = tail('--json');
    const threadId = newThreadId('pipe');
    await reportUntilHeard(threadId, () => command.stdout !== '');
    command.stopReading();
    await record(server.api, checkpoint(threadId, 1_000));
    expect([await command.end(), command.stderr]).toEqual([{ code: 0, signal: null }, '']);
  });
});

onTerminal('Following on a terminal', () => {
  it.each([40, 100])(
    'heads what a thread brings with its id, within %i columns, and ends at Ctrl+C',
    async (columns) => {
      const threadId = newThreadId('t');
      const terminal = open(['tail', '--search', threadId], columns);
      await reportUntilHeard(threadId, () => terminal.text.includes(threadId));
      await record(server.api, completed(threadId));
      await terminal.until(/run-1: completed/);
      expect(terminal.text.match(new RegExp(threadId, 'g'))).toHaveLength(1);
      expect(terminal.screen).toContain('\u001b[32m');
      expect(terminal.text.split('\n').filter((line) => line.length > columns)).toEqual([]);
      terminal.type(CTRL_C);
      expect(await terminal.end()).toBe(130);
    },
  );
});
