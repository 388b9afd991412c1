import { checkpoint, completed, newThreadId, started } from '../../factories/events.js';
import { newRun, REFUND, waiting } from '../../factories/waiting.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { record, recordEach } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const onTerminal = canOpenTerminals() ? describe : describe.skip;
const BIG = '12345678901234567890123';
const LONG = 'A parcel that went astray. '.repeat(400).trim();

const address = () => ({ WAYSTATION_API_URL: server.api.baseUrl });
const show = (args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(server.storage, ['show', ...args], { TZ: 'UTC', ...address(), ...env });

const meta = (time: string, more = {}) => ({ ts: `2026-11-20T${time}.000Z`, ...more });
const HISTORY = [
  { role: 'user', content: 'Where is my\u001b[2J parcel\u202e?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'track', arguments: `{"parcel":${BIG}}` } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: LONG },
  { role: 'assistant', content: 'It is lost.\nWe send another.' },
];
const METAS = [
  meta('22:59:58'),
  meta('22:59:59', { tokens_in: 1200, tokens_out: 30 }),
  meta('23:30:01'),
  meta('23:30:02'),
];

/** A thread of two runs; the second is a sub-agent's. */
async function recordThread(prefix: string): Promise<string> {
  const threadId = newThreadId(prefix);
  const step = (index: number, length: number) =>
    checkpoint(threadId, index, { history: HISTORY.slice(0, length), history_meta: METAS.slice(0, length) });
  const child = { trace_id: 'child-1', parent_trace_id: 'run-1', agent_id: 'tracker' };
  const said = { history: [{ role: 'user', content: 'Look it up' }], history_meta: [meta('23:00:00')] };
  await recordEach(
    server.api,
    started(threadId),
    step(0, 1),
    step(1, 2),
    checkpoint(threadId, 0, { ...child, ...said }),
  );
  await recordEach(server.api, step(2, 3), step(3, 4), completed(threadId));
  return threadId;
}

describe('waystation show', () => {
  it('tells a thread as people read it: its runs, then everything said, each day under its date in the zone of the reader', async () => {
    const threadId = await recordThread('told');
    const { code, stdout, stderr } = await show([threadId], { TZ: 'Europe/Berlin' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${threadId} {2}completed\n`));
    expect(stdout).toMatch(/RUN +AGENT +STATUS +STEPS +TOKENS +COST\nrun-1 +support +completed +4 /);
    expect(stdout).toMatch(/child-1 +tracker +in_progress +1 /);
    const lines = stdout.split('\n');
    const days = lines.filter((line) => /^2026-11-\d\d$/.test(line));
    expect(days).toEqual(['2026-11-20', '2026-11-21']);
    expect(stdout).toContain('23:59:58  support         user         Where is my\\u001b[2J parcel\\u202e?\n');
    expect(stdout).toContain(`tool call    track({"parcel":${BIG}})  (1,200 in, 30 out)`);
    expect(stdout).toContain('00:00:00  tracker         user         Look it up');
    expect(stdout).toContain(`tool result  track: ${LONG}  (30 min 2 s)`);
    expect(stdout).toMatch(/assistant {4}It is lost\.\n {39}We send another\.\n/);
  });

  it('takes the beginning of an id for the whole, and lists what it may mean', async () => {
    const [one, two] = [await recordThread('begin-one'), await recordThread('begin-two')];
    expect((await show(['begin-one'])).stdout).toMatch(new RegExp(`^${one} `));
    const both = await show(['begin-']);
    expect([both.code, both.stdout]).toEqual([2, '']);
    expect(both.stderr).toBe(`More than one thread begins with begin-:\n  ${two}\n  ${one}\n`);
    const none = await show(['nothing']);
    expect([none.code, none.stdout, none.stderr]).toEqual([1, '', 'There is no thread nothing.\n']);
  });

  it('shows one run of it', async () => {
    const threadId = await recordThread('run');
    const { stdout } = await show([threadId, '--run', 'chi']);
    expect(stdout).toContain('Look it up');
    expect(stdout).not.toContain('It is lost');
    expect(await show([threadId, '--run', 'x'])).toMatchObject({ code: 1, stderr: 'There is no run x.\n' });
  });

  it('prints the entries of the log as JSON lines', async () => {
    const threadId = await recordThread('json');
    const { stdout } = await show([threadId, '--json']);
    const entries = stdout.trim().split('\n');
    const { logs } = (await server.api.get(`/threads/${threadId}`)).json<{ logs: unknown[] }>();
    expect(entries.map((line) => JSON.parse(line) as unknown)).toEqual(logs);
  });

  it('says what waits for a person, and how to decide it', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND] }));
    const { stdout } = await show([run.threadId]);
    expect(stdout).toContain(`Waits for a person:\n  issue_refund({"order":4711,"cents":1999})\n`);
    expect(stdout).toContain(`  npx waystation approve ${run.traceId} 1\n`);
  });

  it('tells who decided on which calls, and why', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { pending_tool_calls: [REFUND] }));
    await server.api.post(`/approvals/${run.traceId}/1/reject`, { decided_by: 'ada', reason: 'wrong customer' });
    const { stdout } = await show([run.threadId]);
    expect(stdout).toContain(
      `Step 1 of ${run.traceId}: rejected by ada: wrong customer\n  issue_refund({"order":4711,"cents":1999})\n`,
    );
  });

  it('shows a step as it was reported', async () => {
    const threadId = await recordThread('step');
    const { stdout } = await show([threadId, '--step', '1']);
    expect(stdout).toMatch(
      /^Step 1 of run-1 {2}in_progress\nsupport; gpt-4o; .*; 2 messages; 200 tokens; \$0\.02 of \$0\.50\n/,
    );
    expect(stdout).toContain(`22:59:59  support         tool call    track({"parcel":${BIG}})`);
    expect(stdout).not.toContain('It is lost');
    const json = (await show([threadId, '--step', '1', '--json'])).stdout;
    expect(json).toContain(`{\\"parcel\\":${BIG}}`);
    expect(JSON.parse(json)).toMatchObject({ step_index: 1, history: HISTORY.slice(0, 2) });
    expect((await show([threadId, '--run', 'child', '--step', '0'])).stdout).toContain('Look it up');
    const none = await show([threadId, '--step', '9']);
    expect([none.code, none.stderr]).toEqual([1, 'Run run-1 has no step 9; it has steps 0 to 3.\n']);
    expect((await show([threadId, '--step', '-1'])).code).toBe(2);
  });

  it('shows what changed in the history between two steps, also where it was rewritten', async () => {
    const threadId = newThreadId('diff');
    const [a, b, c, d] = ['one', 'two', 'three', 'four'].map((content) => ({ role: 'user', content }));
    await recordEach(
      server.api,
      checkpoint(threadId, 0, { history: [a, b, c] }),
      checkpoint(threadId, 1, { history: [a, c, d] }),
    );
    const { stdout } = await show([threadId, '--diff', '0', '1']);
    expect(stdout).toMatch(/^Steps 0 to 1 of run-1: 1 added, 1 removed, 2 messages unchanged\n/);
    expect(stdout.match(/^[-+] .*\w$/gm)!.map((line) => line.replace(/^(.).*user +/, '$1 '))).toEqual([
      '- two',
      '+ four',
    ]);
    const lines = (await show([threadId, '--diff', '0', '1', '--json'])).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { change: 'removed', message: b },
      { change: 'added', message: d },
    ]);
    expect(await show([threadId, '--diff', '0'])).toMatchObject({ code: 2, stderr: '--diff needs two steps.\n' });
  });

  it('needs little memory for a long thread, however slowly it is read', async () => {
    const threadId = newThreadId('long');
    const content = 'x'.repeat(1_000_000);
    for (let part = 0; part < 3; part += 1) {
      const history = Array.from({ length: 20 }, (_, index) => ({
        role: 'user',
        content: `${part}.${index} ${content}`,
      }));
      await record(server.api, checkpoint(threadId, part, { history, history_meta: [] }));
    }
    // 60 MB with a heap of half that.
    const { code, stdout } = await show([threadId], { NODE_OPTIONS: '--max-old-space-size=30' });
    expect([code, stdout.length > 60_000_000]).toEqual([0, true]);
  });

  it('has colours on a pipe only where they are forced', async () => {
    const threadId = await recordThread('pipe');
    expect((await show([threadId])).stdout).not.toContain('\u001b');
    expect((await show([threadId], { FORCE_COLOR: '1' })).stdout).toContain('\u001b[');
    expect((await show([threadId], { FORCE_COLOR: '0' })).stdout).not.toContain('\u001b');
  });
});

onTerminal('waystation show on a terminal', () => {
  async function screenOf(args: string[], columns: number, env: Record<string, string> = {}) {
    const terminal = PseudoTerminal.open(server.storage, ['show', ...args], {
      columns,
      env: { TZ: 'UTC', ...address(), ...env },
    });
    try {
      expect(await terminal.end()).toBe(0);
      return terminal;
    } finally {
      terminal.kill();
    }
  }

  it.each([40, 80, 200])('keeps within %i columns, and cuts long texts unless it shall not', async (columns) => {
    const threadId = await recordThread('wide');
    const { text } = await screenOf([threadId], columns);
    const tooWide = text.split('\n').filter((line) => line.length > columns && !line.includes(threadId));
    expect(tooWide).toEqual([]);
    expect(text).toMatch(/… [\d,]+ more characters/);
    expect(text).toContain('Some texts are cut: see --full.');
    const full = (await screenOf([threadId, '--full'], columns)).text;
    expect(full.replaceAll(/\s+/g, ' ')).toContain(LONG);
    expect(full).not.toContain('more characters');
  });

  it('has colours, unless NO_COLOR is set', async () => {
    const threadId = await recordThread('colour');
    expect((await screenOf([threadId], 80)).screen).toContain('\u001b[32mcompleted\u001b[39m');
    expect((await screenOf([threadId], 80, { NO_COLOR: '1' })).screen).not.toContain('\u001b');
    expect((await screenOf([threadId], 80, { TERM: 'dumb' })).screen).not.toContain('\u001b');
  });
});
