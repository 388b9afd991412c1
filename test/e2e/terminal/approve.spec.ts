import { MAIL, newRun, REFUND, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const onTerminal = canOpenTerminals() ? describe : describe.skip;

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ENTER = '\r';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';

onTerminal('waystation approve on a terminal, without arguments', () => {
  let terminals: PseudoTerminal[] = [];

  afterEach(async () => {
    for (const terminal of terminals) terminal.kill();
    terminals = [];
    const { items } = (await server.api.get('/approvals')).json<{ items: { trace_id: string; step: number }[] }>();
    for (const { trace_id, step } of items) await server.api.post(`/approvals/${trace_id}/${step}/reject`, {});
  });

  function open(verb: string, { columns = 80, args = [] as string[], env = {}, afterwards = '' } = {}): PseudoTerminal {
    const settings = { WAYSTATION_API_URL: server.api.baseUrl, ...env };
    const terminal = PseudoTerminal.open(server.storage, [verb, ...args], { columns, env: settings, afterwards });
    terminals.push(terminal);
    return terminal;
  }

  /** Oldest first, as the picker shows them. */
  async function waitingRuns(...calls: object[]): Promise<RunIds[]> {
    const runs = calls.map(() => newRun());
    for (const [index, run] of runs.entries())
      await record(server.api, waiting(run, 1, { pending_tool_calls: [calls[index]] }));
    return runs;
  }

  const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;

  it('lets the person choose with the arrow keys among what waits, with its calls', async () => {
    const [one, two] = await waitingRuns(REFUND, MAIL);
    const terminal = open('approve');
    await terminal.until(
      /> 1 {2}issue_refund[^]*2 {2}send_mail[^]*issue_refund\({"order":4711,"cents":1999}\)[^]*Enter or Esc/,
    );
    terminal.type(DOWN + DOWN + UP + DOWN);
    await terminal.until(/> 2 {2}send_mail[^]*send_mail\({"to":"ada@example.com"}\)/);
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain(`approved  ${two!.traceId}  1  send_mail`);
    expect([await statusOf(one!), await statusOf(two!)]).toEqual(['pending', 'approved']);
  });

  it('takes numbers, and rejects, too', async () => {
    const runs = await waitingRuns(...Array.from({ length: 12 }, () => REFUND));
    const terminal = open('reject', { args: ['--reason', 'no'] });
    await terminal.until(/Enter or Esc/);
    terminal.type('1');
    terminal.type('1');
    await terminal.until(/> 11 /);
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(0);
    expect(await approvalOf(server.api, runs[10]!, 1)).toMatchObject({ status: 'rejected', reason: 'no' });
    expect(await statusOf(runs[0]!)).toBe('pending');
  });

  it.each([
    ['Esc', ESCAPE, 1, 'Nothing is decided.'],
    ['Ctrl-C', CTRL_C, 130, 'Stopped.'],
  ])('decides nothing at %s, and leaves the keyboard as it was', async (_name, key, code, words) => {
    const [run] = await waitingRuns(REFUND);
    const terminal = open('approve', { afterwards: 'stty -a' });
    await terminal.until(/Enter or Esc/);
    terminal.type(key);
    expect(await terminal.end()).toBe(code);
    expect(terminal.text).toMatch(/ icanon [^]* echo /);
    expect(terminal.text).toContain(words);
    expect(await statusOf(run!)).toBe('pending');
  });

  it('shows arguments whole, and asks again, where they did not fit', async () => {
    const text = 'A long letter. '.repeat(60).trim();
    const [run] = await waitingRuns(toolCall('send_mail', { text }));
    const first = open('approve', { columns: 40 });
    await first.until(/letter[^]*…\n[^]*Enter or Esc/);
    first.type(ENTER);
    await first.until(/Approve this\? \(y\/N\)/);
    expect(first.text.replaceAll('\n', '')).toContain(text);
    first.type(ENTER);
    expect(await first.end()).toBe(1);
    expect(await statusOf(run!)).toBe('pending');
    const second = open('approve', { columns: 40 });
    await second.until(/Enter or Esc/);
    second.type(ENTER);
    await second.until(/Approve this\?/);
    second.type(`y${ENTER}`);
    expect(await second.end()).toBe(0);
    expect(await statusOf(run!)).toBe('approved');
  });

  it('opens the editor again on what is no JSON, if the person wishes', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1, { approval_features: ['per_call', 'edit_args'] }));
    const VISUAL = `sh -c 'grep -q oops "$1" && echo "{}" > "$1" || echo oops > "$1"' --`;
    const terminal = open('approve', { args: ['--edit'], env: { VISUAL } });
    await terminal.until(/Enter or Esc/);
    terminal.type(ENTER);
    await terminal.until(/That is no JSON[^]*Edit it again\? \(Y\/n\)/);
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(0);
    expect((await approvalOf(server.api, run, 1)).tool_calls).toMatchObject([{ edited_args: {} }]);
  });

  it('says so when nothing waits', async () => {
    const terminal = open('approve');
    expect(await terminal.end()).toBe(1);
    expect(terminal.text).toBe('Nothing waits for a person.\n');
  });

  it.each([40, 200])('keeps within %i columns', async (columns) => {
    await waitingRuns(REFUND, toolCall('send_a_letter_to_somebody', { text: 'x'.repeat(300) }));
    const terminal = open('approve', { columns });
    await terminal.until(/Enter or Esc/);
    expect(terminal.text.split('\n').filter((line) => line.length > columns)).toEqual([]);
    terminal.type(ESCAPE);
    await terminal.end();
  });
});
