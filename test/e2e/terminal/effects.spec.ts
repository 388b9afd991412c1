import { newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { runCommand } from '../../support/command.js';
import { claimed, effectOf, settled } from '../../support/effects.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const onTerminal = canOpenTerminals() ? describe : describe.skip;
const BIG = '12345678901234567890123';
const DOWN = '\u001b[B';
const ENTER = '\r';
const ESCAPE = '\u001b';

const address = () => ({ WAYSTATION_API_URL: server.api.baseUrl });
const run = (...args: string[]) => runCommand(server.storage, args, address());

/** A call in doubt: its holder reported `unknown`. */
async function doubted(threadId: string, fields: object = {}, key = 'refund:4711', api: ApiClient = server.api) {
  await claimed(api, threadId, { key, ...fields });
  await settled(api, threadId, { outcome: 'unknown' }, key);
}

describe('waystation effects', () => {
  it('lists what is in doubt, oldest first, with its whole address and its exact arguments', async () => {
    const threadId = newThreadId('doubt\u202e');
    const body = `{"trace_id":"run-1","agent_id":"support","key":"refund:1","tool":"refund","args":{"cents": ${BIG}}}`;
    await server.api.send('POST', `/v1/runners/threads/${encodeURIComponent(threadId)}/effects`, body);
    await settled(server.api, threadId, { outcome: 'unknown' }, 'refund:1');
    await claimed(server.api, threadId, { key: 'in-flight' });
    const { code, stdout, stderr } = await run('effects');
    expect([code, stderr]).toEqual([0, '']);
    const [heading, line] = stdout.split('\n');
    expect(heading).toMatch(/^THREAD +KEY +STATE +AGENT +SINCE +TOOL +ARGUMENTS$/);
    expect(line).toContain(`refund:1  in doubt  support  `);
    expect(line).toContain(`refund  {"cents": ${BIG}}`);
    expect(stdout).not.toMatch(/[\u001b\u202e]|in-flight/);
    const json = (await run('effects', '--in-doubt', '--json')).stdout.trim().split('\n');
    expect(json.map((text) => (JSON.parse(text) as { key: string }).key)).toEqual(['refund:1']);
    expect(json[0]).toContain(BIG);
    await settled(server.api, threadId, { outcome: 'not_done' }, 'refund:1');
    expect(await run('effects')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^No effect is in doubt\./),
    });
    expect(await run('effects', '--state', 'failed')).toMatchObject({
      stderr: 'No effects match. All of them: npx waystation effects --state all\n',
    });
  });

  it('lists the calls of one thread in every state, of one state, and of one agent', async () => {
    const threadId = newThreadId('states');
    await claimed(server.api, threadId, { key: 'a' });
    await claimed(server.api, threadId, { key: 'b', agent_id: 'billing', trace_id: 'run-2' });
    await settled(server.api, threadId, { outcome: 'completed' }, 'b');
    const keysOf = async (...args: string[]) =>
      [...(await run('effects', ...args, '--json')).stdout.matchAll(/"key":"([^"]+)"/g)].map(([, key]) => key);
    expect(await keysOf('--thread', threadId)).toEqual(['a', 'b']);
    expect(await keysOf('--thread', threadId, '--state', 'completed')).toEqual(['b']);
    expect(await keysOf('--state', 'all', '--agent', 'billing')).toEqual(['b']);
    await settled(server.api, threadId, { outcome: 'completed', decided_by: 'ada' }, 'a');
    expect(await keysOf('--thread', threadId, '--state', 'decided')).toEqual(['a']);
    expect(await keysOf('--state', 'decided')).toContain('a');
  });
});

describe('waystation settle', () => {
  it('says what became of a call, with what it gave, how that is known, and who says so', async () => {
    const threadId = newThreadId('settle');
    await doubted(threadId);
    const options = ['--result', `{"transfer": ${BIG}}`, '--reason', 'seen at the bank', '--by', 'kim'];
    const { code, stdout } = await run('settle', threadId.slice(0, -3), 'refund', 'completed', ...options);
    expect([code, stdout]).toEqual([0, `completed  ${threadId}  refund:4711  refund  {"order":4711}\n`]);
    const { text } = await server.api.get(`/v1/runners/threads/${threadId}/effects/refund%3A4711`);
    expect(text).toContain(`{"transfer": ${BIG}}`);
    const reason = 'seen at the bank';
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'completed', decided_by: 'kim', reason });
    const other = await run('settle', threadId, 'refund:4711', 'not_done');
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('already has another outcome')]);
  });

  it('refuses an attempt that is over, bad JSON, and what may mean several', async () => {
    const threadId = newThreadId('refuse');
    await doubted(threadId);
    await settled(server.api, threadId, { outcome: 'not_done' });
    await doubted(threadId, { agent_id: 'billing', trace_id: 'run-2' }, 'refund:4712');
    await claimed(server.api, threadId);
    await settled(server.api, threadId, { outcome: 'unknown', attempt: 2 });
    const stale = await run('settle', threadId, 'refund:4711', 'completed', '--attempt', '1');
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('attempt 2')]);
    expect(await run('settle', threadId, 'refund:4711', 'completed', '--result', 'T-1')).toMatchObject({ code: 2 });
    const several = await run('settle', threadId);
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringMatching(/refund:4712 {2}--agent billing[^]*refund:4711/),
    ]);
    expect(await run('settle', threadId, 'nothing', 'failed')).toMatchObject({
      code: 1,
      stderr: 'There is no key nothing.\n',
    });
    const unsaid = await run('settle', threadId, 'refund:4711');
    expect([unsaid.code, unsaid.stderr]).toEqual([2, 'Say what became of it: completed, not_done, failed, unknown.\n']);
    expect(await run('settle', threadId, 'refund:4711', 'done')).toMatchObject({ code: 2 });
    const json = await run('settle', threadId, 'refund:4711', 'failed', '--error', '"no money"', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'failed', attempt: 2, error: 'no money' });
    await settled(server.api, threadId, { outcome: 'failed' }, 'refund:4712');
  });

  it('is for approvers, too', async () => {
    const threadId = newThreadId('approver');
    await doubted(threadId);
    const { token } = (await server.api.post('/v1/tokens', { scope: 'approver' })).json<{ token: string }>();
    const env = { ...address(), WAYSTATION_TOKEN: token };
    const { code, stdout } = await runCommand(
      server.storage,
      ['settle', threadId.slice(0, -3), 'refund', 'not_done'],
      env,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('not done')]);
  });
});

onTerminal('waystation settle on a terminal, without arguments', () => {
  const terminals: PseudoTerminal[] = [];
  function open(args: string[], columns = 80): PseudoTerminal {
    const terminal = PseudoTerminal.open(server.storage, args, { columns, env: address() });
    terminals.push(terminal);
    return terminal;
  }
  afterEach(() => {
    for (const terminal of terminals.splice(0)) terminal.kill();
  });

  it.each([50, 120])('lets the person choose the call and what became of it, within %i columns', async (columns) => {
    const threadId = newThreadId('p');
    await doubted(threadId, {}, 'one');
    await doubted(threadId, { args: { text: 'x'.repeat(200) } }, 'two');
    const terminal = open(['settle'], columns);
    await terminal.until(/Of which tool call[^]*> 1 {2}one[^]*2 {2}two[^]*Enter or Esc/);
    terminal.type(DOWN);
    await terminal.until(/> 2 {2}two/);
    terminal.type(ENTER);
    await terminal.until(/What became of it\?[^]*> 1 {2}completed[^]*not done[^]*Enter or Esc/);
    terminal.type('2');
    await terminal.until(/> 2 {2}not done/);
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(0);
    expect(terminal.screen).toContain('\u001b[32mnot done');
    expect(await effectOf(server.api, threadId, 'two')).toMatchObject({ state: 'not_done', in_doubt: false });
    expect(await effectOf(server.api, threadId, 'one')).toMatchObject({ in_doubt: true });
    await settled(server.api, threadId, { outcome: 'not_done' }, 'one');
  });

  it('settles nothing when the person leaves, and says so when nothing is in doubt', async () => {
    const threadId = newThreadId('leave');
    await doubted(threadId);
    const terminal = open(['settle', threadId]);
    await terminal.until(/What became of it\?/);
    terminal.type(ESCAPE);
    expect(await terminal.end()).toBe(1);
    await settled(server.api, threadId, { outcome: 'not_done' });
    const none = open(['settle']);
    expect(await none.end()).toBe(1);
    expect(none.text).toBe('Nothing is in doubt.\n');
  });
});
