import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WaystationClient } from '../../../src/client/waystation-client.js';
import { asking, COLOUR, questionCall } from '../../factories/asking.js';
import { EVENTS_TOKEN, EventsServer } from '../../fakes/events-server.js';
import { claudeAsks } from '../../factories/hook-inputs.js';
import { newRun, REFUND, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, approvalsOf, decide, decided } from '../../support/approvals.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { startHook } from '../../support/hook-process.js';
import { postHook } from '../../support/hook-requests.js';
import { problemOf } from '../../support/problem.js';
import { latestOf, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

const answer = (traceId: string, step: number, values: object) =>
  server.api.post(approvalPath(traceId, step, '/answer'), { answers: [{ index: 0, values }] });

describe('waystation answer', () => {
  const waystation = (...args: string[]): Promise<CommandResult> =>
    runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
  const asked = async (calls: object[], fields: object = {}): Promise<RunIds> => {
    const run = newRun();
    await record(server.api, asking(run, 1, calls as Record<string, unknown>[], fields as Record<string, unknown>));
    return run;
  };
  const many = questionCall([{ ...COLOUR, multiple: true, free_text: true }]);

  it.each<[string[], object, unknown]>([
    [['--option', '2'], questionCall(), 'b'],
    [['--option', 'red'], questionCall(), 'Red'],
    [['--option', '2,1'], many, ['Red', 'b']],
    [['--option', '1', '2'], many, ['Red', 'b']],
    [['--text', 'green, of course'], many, ['green, of course']],
    [['--values', '{"q0":"b"}'], questionCall(), 'b'],
  ])('takes %j', async (options, call, wanted) => {
    const run = await asked([call]);
    const { code, stdout, stderr } = await waystation('answer', run.traceId, '1', ...options, '--by', 'ada');
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining(`approved  ${run.traceId}  1  ask  q0=`)]);
    const { decided_by, tool_calls: calls } = await approvalOf(server.api, run, 1);
    expect([decided_by, calls[0]]).toEqual(['ada', expect.objectContaining({ answers: { q0: wanted } })]);
  });

  it('says what is wrong, and nothing is decided', async () => {
    const run = await asked([questionCall(), REFUND]);
    const refused = async (wanted: RegExp, ...args: string[]) => {
      const { code, stderr } = await waystation(...args);
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(wanted)]);
      expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
    };
    await refused(/none of the options "Red", "b"/, 'answer', run.traceId, '--option', 'Green', '--others', 'reject');
    await refused(/--others approve or --others reject/, 'answer', run.traceId, '--option', '1');
    await refused(/Nobody is here to answer/, 'answer', run.traceId);
    await refused(/one of --option, --text and --values/, 'answer', run.traceId, '--option', '1', '--text', 'x');
    await refused(/expected JSON/, 'answer', run.traceId, '--values', 'blue');
    await refused(/asks questions/, 'approve', run.traceId, '1');
    const done = await waystation('answer', run.traceId, '--option', '1', '--others', 'approve');
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect((await approvalOf(server.api, run, 1)).tool_calls).toMatchObject([
      { decision: 'answer' },
      { decision: 'approve' },
    ]);
  });

  it('finds the questions in the list', async () => {
    const run = await asked([questionCall()]);
    const { stdout } = await waystation('approvals', '--thread', run.threadId);
    expect(stdout).toContain('Which colour? 1 Red, 2 Blue');
  });
});

describe('The questions of Claude Code', () => {
  const QUESTIONS = [
    { question: 'Which one?', header: 'Pick', options: [{ label: 'A', description: 'first' }, { label: 'B' }] },
    { question: 'And which of these?', header: 'More', options: [{ label: 'C' }, { label: 'D' }], multiSelect: true },
  ];
  const input = (questions: object[]) =>
    claudeAsks('', {
      ...{ hook_event_name: 'PreToolUse', tool_name: 'AskUserQuestion' },
      tool_input: { questions, big: 1 },
    });
  const decisionOf = (text: string) => (JSON.parse(text) as { hookSpecificOutput: unknown }).hookSpecificOutput;

  it('wait for an answer, which comes back beside the exact input', async () => {
    const text = JSON.stringify(input(QUESTIONS)).replace('"big":1', '"big": 12345678901234567890');
    const waiting = await postHook(server.api, 'claude', text, 'k1');
    expect(waiting.status).toBe(202);
    const { trace_id: traceId } = waiting.json<{ trace_id: string }>();
    expect(await approvalOf(server.api, { traceId }, 0)).toMatchObject({ kind: 'question' });
    expect(problemOf(await decide(server.api, 'approve', { traceId }, 0), 409).code).toBe('answer_required');
    expect((await postHook(server.api, 'claude', text, 'k1')).status).toBe(202);
    ok(await answer(traceId, 0, { q0: 'B', q1: ['C', 'my own'] }));
    const printed = ok(await postHook(server.api, 'claude', text, 'k1')).text;
    expect(printed).toContain('"big": 12345678901234567890');
    expect(decisionOf(printed)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: {
        questions: QUESTIONS,
        big: expect.any(Number),
        answers: { 'Which one?': 'B', 'And which of these?': 'C, my own' },
      },
    });
  });

  it('that are declined are denied, with the reason', async () => {
    const asked = input(QUESTIONS);
    const waiting = await postHook(server.api, 'claude', asked, 'k2');
    const { trace_id: traceId } = waiting.json<{ trace_id: string }>();
    await decided(server.api, 'reject', { traceId }, 0, { reason: 'Decide yourself' });
    expect(decisionOf(ok(await postHook(server.api, 'claude', asked, 'k2')).text)).toMatchObject({
      ...{ permissionDecision: 'deny', permissionDecisionReason: 'Decide yourself' },
    });
  });

  it.each([
    ['equal texts', [QUESTIONS[0]!, QUESTIONS[0]!]],
    ['no text', [{ options: [] }]],
    ['too much', [{ ...QUESTIONS[0]!, preview: 'x'.repeat(70_000) }]],
    ['none', []],
  ])('with %s stay on the terminal', async (_what, questions) => {
    const asked = input(questions);
    expect((await postHook(server.api, 'claude', asked, null)).status).toBe(204);
    expect(await approvalsOf(server.api, `claude:${String(asked.session_id)}`, { status: 'all' })).toEqual([]);
  });

  it('that nobody answers in time stay there, too', async () => {
    const asked = input(QUESTIONS);
    const env = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token };
    const args = ['claude', '--patience', '60', '--on-timeout', 'deny', '--timeout', '3'];
    const { code, stdout, stderr } = await startHook(server.storage, args, asked, env).ended;
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    expect(await approvalsOf(server.api, `claude:${String(asked.session_id)}`, { status: 'all' })).toHaveLength(1);
  });
});

describe('client.ask', () => {
  const clients: WaystationClient[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((one) => one.close(0))));
  const client = () => {
    const made = new WaystationClient({ apiUrl: server.api.baseUrl, token: server.api.token, agentId: 'support' });
    clients.push(made);
    return made;
  };
  const idsOf = (run: RunIds) => ({ thread_id: run.threadId, trace_id: run.traceId });
  const pendingOf = async (run: RunIds, count: number) => {
    let found: number[] = [];
    await waitFor('the question', async () => {
      const all = await approvalsOf(server.api, run.threadId, { status: 'all', kind: 'question' });
      found = all.filter(({ status }) => status === 'pending').map(({ step }) => step);
      return all.length === count && found.length === 1;
    });
    return found[0]!;
  };

  it('returns the answer, also to a process that was started again', async () => {
    const run = newRun();
    const questions = [{ text: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }];
    const first = client();
    await first.append(idsOf(run), [{ role: 'user', content: 'Paint it' }]);
    const gone = first.ask(idsOf(run), questions).catch(() => null);
    const step = await pendingOf(run, 1);
    const second = client().ask(idsOf(run), questions);
    ok(await answer(run.traceId, step, { q0: 'Blue' }));
    expect((await second).answers).toEqual({ q0: 'Blue' });
    expect((await gone)?.answers).toEqual({ q0: 'Blue' });
    const third = client();
    expect((await third.ask(idsOf(run), questions)).answers).toEqual({ q0: 'Blue' });
    // The same question after its answer is a new one.
    const again = third.ask(idsOf(run), questions);
    await decided(server.api, 'reject', run, await pendingOf(run, 2), { reason: 'no' });
    expect(await again).toMatchObject({ answers: null, reason: 'no' });
    expect(JSON.stringify((await latestOf(server.api, run.threadId)).history)).toContain('Paint it');
  });

  it('asks again where a person cancelled the run while it waited, and had it retried', async () => {
    const run = newRun();
    const questions = [{ text: 'Which colour?' }];
    const first = client();
    await first.start(idsOf(run));
    const gone = first.ask(idsOf(run), questions).catch((error: Error) => error.name);
    await pendingOf(run, 1);
    ok(await server.api.post(threadPath(run.threadId, `/runs/${run.traceId}/cancel`), {}));
    expect(await gone).toBe('NoDecisionError');
    const second = client();
    await second.start(idsOf(run));
    const asked = second.ask(idsOf(run), questions);
    ok(await answer(run.traceId, await pendingOf(run, 2), { q0: 'Blue' }));
    expect((await asked).answers).toEqual({ q0: 'Blue' });
  });

  it('ends with its signal, also while a server takes no reports', async () => {
    const stop = new AbortController();
    const busy = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const isReport = request.method === 'POST' && body !== '{"events":[]}';
        if (isReport) stop.abort(new Error('enough'));
        const isNew = request.method === 'GET';
        response.writeHead(isReport ? 503 : isNew ? 404 : 200, { 'waystation-features': 'history_base, questions' });
        response.end(isNew ? '{"code":"checkpoint_not_found"}' : '{"saved":0,"rejected":[]}');
      });
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const apiUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const one = new WaystationClient({ apiUrl, token: 'x', agentId: 'support', onTrouble: () => undefined });
    clients.push(one);
    const asked = one.ask(idsOf(newRun()), [{ text: 'Why?' }], { signal: stop.signal });
    await expect(asked).rejects.toThrow('enough');
    busy.closeAllConnections();
    busy.close();
  });

  it('throws where a server of the storage takes no answers', async () => {
    const older = await EventsServer.start();
    older.features = 'history_base';
    const one = new WaystationClient({ apiUrl: older.url, token: EVENTS_TOKEN, agentId: 'support' });
    clients.push(one);
    await expect(one.ask(idsOf(newRun()), [{ text: 'Why?' }])).rejects.toThrow('too old');
    expect(older.events).toEqual([]);
    await older.stop();
  });
});
