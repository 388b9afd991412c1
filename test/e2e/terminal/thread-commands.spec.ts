import { writeFile } from 'node:fs/promises';
import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { detailOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

function waystation(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
}

const run = (threadId: string, trace_id: string, fields: object = {}) => started(threadId, { trace_id, ...fields });
const isThere = async (threadId: string) => (await server.api.get(`/threads/${threadId}`)).status === 200;

describe('waystation cancel, with the id of a thread', () => {
  it('cancels the only run under way, not those that have ended or run below it', async () => {
    const threadId = newThreadId('chat');
    await record(server.api, run(threadId, 'first'), completed(threadId, { trace_id: 'first' }));
    await record(server.api, run(threadId, `${threadId}-top`));
    await record(server.api, run(threadId, `${threadId}-sub`, { parent_trace_id: `${threadId}-top` }));
    const { stdout } = await waystation('cancel', threadId);
    expect(stdout).toBe(`Cancelled run ${threadId}-top in thread ${threadId}\n`);
    expect(await waystation('cancel', threadId)).toMatchObject({
      code: 1,
      stderr: `The thread ${threadId} has no run to cancel.\n`,
    });
  });

  it('names the candidates where there are several', async () => {
    const threadId = newThreadId('busy');
    await record(server.api, run(threadId, 'one', { agent_id: 'a' }), completed(threadId, { trace_id: 'one' }));
    const top = (trace_id: string) => checkpoint(threadId, 0, { trace_id, parent_trace_id: null });
    await record(server.api, top('left'), top('right'));
    const { code, stderr } = await waystation('cancel', threadId);
    expect(code).toBe(2);
    expect(stderr).toBe(`Several runs match; choose one:\n  left --thread ${threadId}\n  right --thread ${threadId}\n`);
  });

  it('says what it looked for where there is nothing', async () => {
    expect(await waystation('cancel', 'no-such-id')).toMatchObject({
      code: 1,
      stderr: 'No run and no thread begins with no-such-id.\n',
    });
  });
});

describe('waystation retry, with the id of a thread', () => {
  it('means the run that failed, not one that is completed', async () => {
    const threadId = newThreadId('failed');
    await record(server.api, run(threadId, 'good'), completed(threadId, { trace_id: 'good' }));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'bad' }), failed(threadId, { trace_id: 'bad' }));
    // The server knows no agent that could continue it.
    const { code, stderr } = await waystation('retry', threadId.slice(0, -1));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The server refused \(404\): .*support/)]);
  });
});

describe('waystation delete', () => {
  it('deletes threads by the beginnings of their ids, where nobody is asked only with --yes', async () => {
    const [one, other] = [newThreadId('gone'), newThreadId('gone-too')];
    await record(server.api, checkpoint(one, 0), checkpoint(other, 0));
    expect(await waystation('delete', one)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await isThere(one)).toBe(true);
    const { code, stdout } = await waystation('delete', one.slice(0, -1), other, '--yes');
    expect([code, stdout]).toEqual([0, `deleted  ${one}\ndeleted  ${other}\n`]);
    expect([await isThere(one), await isThere(other)]).toEqual([false, false]);
    expect((await waystation('delete', one, '--yes')).code).toBe(1);
  });

  it('asks a person first', async () => {
    if (!canOpenTerminals()) return;
    const threadId = newThreadId('kept');
    await record(server.api, checkpoint(threadId, 0));
    const env = { WAYSTATION_API_URL: server.api.baseUrl };
    for (const [key, end] of [
      ['\r', 'Nothing was deleted.'],
      ['y\r', `deleted  ${threadId}`],
    ] as const) {
      const terminal = PseudoTerminal.open(server.storage, ['delete', threadId], { columns: 80, env });
      await terminal.until(/This cannot be undone\./);
      terminal.type(key);
      await terminal.until(new RegExp(end));
      await terminal.end();
      expect(await isThere(threadId)).toBe(key === '\r');
    }
  });
});

describe('waystation agents', () => {
  it('says what to do while there are none; then who is there, what starts them, and when', async () => {
    expect(await waystation('agents')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('waystation agent'),
    });
    const next = new Date(Date.now() + 3_600_000).toISOString();
    const triggers = [
      { id: 'triggers[0]', type: 'webhook', endpoint: '/run' },
      { id: 'triggers[1]', type: 'schedule', cron: '0 9 * * MON', timezone: 'UTC', next: [next] },
    ];
    const beat = (data: Record<string, unknown>) => ({ type: 'heartbeat', data });
    await record(server.api, beat({ agent_id: 'daily', triggers }), beat({ agent_id: 'plain' }));
    const { stdout } = await waystation('agents');
    const [heading, daily, plain] = stdout.split('\n');
    expect(heading).toMatch(/^AGENT +ONLINE +STARTED BY +QUEUED +NEXT FIRING$/);
    expect(daily).toMatch(/^daily +yes +webhook \/run, schedule 0 9 \* \* MON +- +\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(plain).toMatch(/^plain +yes +- +- +-$/);
    const lines = (await waystation('agents', '--json')).stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { agent_id: string }).agent_id)).toEqual(['daily', 'plain']);
  });
});

describe('waystation threads --status and --since', () => {
  it.each([
    ['running', 'in_progress'],
    ['waiting', 'waiting_for_approval'],
    ['failed', 'error'],
  ])('take %s for %s', async (word, status) => {
    const threadId = newThreadId('named');
    await record(server.api, checkpoint(threadId, 0, { status }));
    for (const name of [word, status]) {
      const { stdout } = await waystation('threads', '--status', name, 'cancelled', '--search', threadId, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ thread_id: threadId, status });
    }
  });

  it('refuse another word, with the choices', async () => {
    for (const command of ['threads', 'tail']) {
      const { code, stderr } = await waystation(command, '--status', 'error', 'broken');
      expect(code).toBe(2);
      expect(stderr).toContain("'broken' is invalid. Choose from ");
      expect(stderr).toContain('budget_exceeded, cancelled, running, waiting, failed.');
    }
  });

  it('take days of this machine, and refuse what is no time', async () => {
    const threadId = newThreadId('today');
    await record(server.api, checkpoint(threadId, 0));
    const found = async (since: string) =>
      (await waystation('threads', '--search', threadId, '--since', since, '--json')).stdout !== '';
    const now = new Date();
    const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 12);
    const [today, then] = [now, tomorrow].map((day) => day.toLocaleDateString('sv'));
    for (const since of ['today', 'yesterday', today!, '5m', '2026-01-31T09:30Z'])
      expect(await found(since)).toBe(true);
    expect(await found(then!)).toBe(false);
    for (const since of ['tomorrow', '2026-13-40', '2x', '']) {
      expect(await waystation('threads', '--since', since)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Write 30m, 2h, 7d, today, yesterday, 2026-11-20'),
      });
    }
  });
});

describe('waystation import', () => {
  it('names its options where a thread of that id is there', async () => {
    const threadId = newThreadId('twice');
    await record(server.api, checkpoint(threadId, 0));
    const { stdout } = await waystation('export', threadId);
    const file = `${server.storage.home}/twice.jsonl`;
    await writeFile(file, stdout);
    expect((await waystation('import', file)).stderr).toMatch(/with --as ID, .*waystation delete ID\n$/);
    expect((await waystation('import', file, '--as', '..')).stderr).toMatch(/: --as /);
    expect((await detailOf(server.api, threadId)).runs).toBe(1);
  });
});

describe('waystation cancel --all', () => {
  const open = async (threadId: string) => {
    await record(server.api, run(threadId, `${threadId}-top`));
    await record(server.api, run(threadId, `${threadId}-sub`, { parent_trace_id: `${threadId}-top` }));
  };
  const statusesOf = async (threadId: string) => {
    const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: Record<string, string>[] };
    return runs.map(({ status, cancel_reason }) => [status, cancel_reason]);
  };

  it('ends what runs, waits or is queued, also with a status of the agent, and nothing that has ended', async () => {
    await waystation('cancel', '--all', '--yes');
    const [running, asking, own, ended] = ['a', 'b', 'c', 'd'].map(newThreadId) as [string, string, string, string];
    await open(running);
    await record(
      server.api,
      checkpoint(asking, 0, { status: 'waiting_for_approval' }),
      checkpoint(own, 0, { status: 'thinking' }),
      checkpoint(ended, 0),
      completed(ended),
    );
    const queued = { thread_id: newThreadId('queued'), trace_id: 'queued-1', queued_at: new Date().toISOString() };
    const beat = { agent_id: 'support', process_id: 'process-1', queued_runs: [queued] };
    await record(server.api, { type: 'heartbeat', data: beat });
    expect(await waystation('cancel', '--all')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const { code, stdout, stderr } = await waystation('cancel', '--all', '--yes', '--reason', 'wrong prices');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toHaveLength(5);
    expect(stdout).toMatch(/^Cancelled run queued-1 in thread /);
    for (const id of [running, asking, own, queued.thread_id])
      expect((await statusesOf(id))[0]).toEqual(['cancelled', 'wrong prices']);
    expect((await statusesOf(running)).map(([status]) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await statusesOf(ended))[0]![0]).toBe('completed');
    expect(await waystation('cancel', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing runs, waits for a person or is queued.\n',
    });
  });

  it('asks a person first, with the numbers', async () => {
    if (!canOpenTerminals()) return;
    const [running, asking] = [newThreadId('asked'), newThreadId('asked')];
    await open(running);
    await record(server.api, checkpoint(asking, 0, { status: 'waiting_for_approval' }));
    for (const [key, end, status] of [
      ['\r', 'Nothing was cancelled.', 'in_progress'],
      ['y\r', `Cancelled run ${running}-top`, 'cancelled'],
    ] as const) {
      const env = { WAYSTATION_API_URL: server.api.baseUrl };
      const terminal = PseudoTerminal.open(server.storage, ['cancel', '--all'], { columns: 80, env });
      await terminal.until(/1 thread running, 1 waiting for a person, 0 runs queued\..*Cancel all of them\?/s);
      terminal.type(key);
      await terminal.until(new RegExp(end));
      await terminal.end();
      expect((await statusesOf(running))[0]![0]).toBe(status);
    }
  });

  it('takes a run or all, not both and not none', async () => {
    for (const args of [[], ['run-1', '--all'], ['--all', '--thread', 'thread-1']])
      expect(await waystation('cancel', ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^Name a run/),
      });
  });
});
