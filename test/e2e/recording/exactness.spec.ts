import { conversation, newThreadId } from '../../factories/events.js';
import type { Answer } from '../../support/api-client.js';
import { rawAt, rawElements, rawMembers } from '../../support/raw-json.js';
import { EVENTS, latestPath, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

const MESSAGES = [
  '{"role":"user","content":"big integers","n":12345678901234567890,"m":-9007199254740993}',
  '{"role":"assistant","content":"decimals","a":1.10,"b":1e400,"c":0.1000000000000000055511151231257827,"d":-0}',
  '{"z":1,"a":2,"role":"user","content":"key order","2":"two","1":"one"}',
  '{"role":"tool","content":"unicode é ü 漢字 😀 \\u0000 \\ud83d\\ude00 \\u2028","lone":"\\ud800"}',
  '{"role":"user","content":"escapes \\/ \\" \\\\ \\n \\t \\u00e9"}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"role":"user","content":"keys"}',
  '{"role":"user","content":[{"type":"text","text":"parts"},{"deep":[[[[{"x":[]}]]]]}],"nothing":null,"yes":true}',
  '"a bare string"',
  'null',
  '12345678901234567891',
  '[1,[2,[3.0]],{"k":"v"}]',
  '{}',
  '{"dup":1,"dup":2,"role":"user"}',
];

function post(threadId: string, step: number, history: readonly string[], extra = ''): Promise<Answer> {
  const meta = history.map(() => '{"ts":"2026-01-01T00:00:00.000Z","tokens_in":12345678901234567890}').join(',');
  const data =
    `{"thread_id":"${threadId}","trace_id":"run-1","agent_id":"a","step_index":${step},"status":"in_progress",` +
    `"history":[${history.join(',')}],"history_meta":[${meta}]${extra}}`;
  return server.api.post(EVENTS, `{"events":[{"type":"checkpoint","data":${data}}]}`);
}

describe('What is read back is what was reported', () => {
  it('to the last byte of every message, whatever JSON it is', async () => {
    const threadId = newThreadId();
    ok(await post(threadId, 0, MESSAGES));
    const { text } = ok(await server.api.get(latestPath(threadId)));
    expect(rawElements(rawAt(text, 'history') ?? '')).toEqual(MESSAGES);
    expect(rawAt(text, 'history_meta', 0, 'tokens_in')).toBe('12345678901234567890');
    const detail = ok(await server.api.get(threadPath(threadId))).text;
    expect(rawElements(rawAt(detail, 'history') ?? '')).toEqual(MESSAGES);
  });

  it('in every checkpoint of a growing history', async () => {
    const threadId = newThreadId();
    for (let step = 0; step < MESSAGES.length; step++) ok(await post(threadId, step, MESSAGES.slice(0, step + 1)));
    const { text } = ok(await server.api.get(threadPath(threadId, '/checkpoints')));
    const rows = rawElements(rawAt(text, 'items') ?? '');
    expect(rows.map((row) => rawElements(rawAt(row, 'history') ?? ''))).toEqual(
      MESSAGES.map((_, step) => MESSAGES.slice(0, step + 1)),
    );
  });

  it('also when a server that has just started reads it: lists of one piece, of several, of one element, of none, beside long values', async () => {
    const summarised = newThreadId();
    ok(await post(summarised, 0, MESSAGES));
    ok(await post(summarised, 1, ['"a summary"', ...MESSAGES.slice(4), '"and on"']));
    const reports: [threadId: string, history: readonly string[], extra: string][] = [
      [
        newThreadId(),
        MESSAGES,
        ',"run_cost_usd":0.1234567890123456789,"budget_usd":999999999999.25,"big":12345678901234567891',
      ],
      [newThreadId(), MESSAGES.slice(3, 4), ',"model":"m \\u0001 😀 \'","budget_warning":true,"our_note":"none"'],
      [newThreadId(), [], ''],
      [newThreadId(), MESSAGES, `,"our_state":"${'é'.repeat(20_000)}"`],
    ];
    for (const [threadId, history, extra] of reports) ok(await post(threadId, 0, history, extra));
    const paths = [summarised, ...reports.map(([threadId]) => threadId)].map((threadId) => latestPath(threadId));
    const answers = () => Promise.all(paths.map(async (path) => ok(await server.api.get(path))));
    const before = await answers();
    await server.restart();
    const after = await answers();
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect(after.map(({ headers }) => headers.etag)).toEqual(before.map(({ headers }) => headers.etag));
    expect(rawElements(rawAt(after[1]!.text, 'history') ?? '')).toEqual(MESSAGES);
  });

  it('for messages of every size in a large body, which is read and written in parts', async () => {
    const threadId = newThreadId();
    const sized = (length: number) => `{"role":"user","content":"it's \\"${length}\\" €😀${'é'.repeat(length)}"}`;
    const sizes = [10, 200_000, 700, ...Array.from({ length: 900 }, (_, n) => n), 1_500_000, 130_000, 3];
    const history = [...MESSAGES, ...sizes.map(sized)];
    const state = `[${Array.from({ length: 5000 }, (_, n) => `{"n":${n}.0,"s":"it's"}`).join(' , ')}]`;
    ok(await post(threadId, 0, history, `,"our_state":${state}`));
    ok(await post(threadId, 1, [...history, '"the end"']));
    const { text } = ok(await server.api.get(threadPath(threadId, '/checkpoints')));
    const rows = rawElements(rawAt(text, 'items') ?? '');
    expect(rows.map((row) => rawElements(rawAt(row, 'history') ?? '').length)).toEqual([
      history.length,
      history.length + 1,
    ]);
    // Compared as texts: showing a difference between lists this long would take minutes.
    expect(rawElements(rawAt(rows[1]!, 'history') ?? '').join() === [...history, '"the end"'].join()).toBe(true);
    expect(rawAt(rows[0]!, 'our_state') === state).toBe(true);
  });

  it('for very long values outside of the messages, which repeat like short ones', async () => {
    const threadId = newThreadId();
    const long = (name: string) => `{"it's":"${name} €😀\\\\ '' $1 ${'é'.repeat(200_000)}${'x'.repeat(400_000)}"}`;
    const ids = `"thread_id":"${threadId}","trace_id":"run-1","agent_id":"a"`;
    const events = [
      `{"type":"checkpoint","data":{${ids},"step_index":0,"first":1.0,"our_state":${long('state')},"é":[2]}}`,
      `{"type":"our_note","data":{${ids},"said":${long('note')}}}`,
      `{"type":"thread_error","data":{${ids},"error":${long('error')},"our_state":${long('last state')}}}`,
    ];
    const report = () => server.api.post(EVENTS, `{"events":[${events.join(',')}]}`);
    ok(await report());
    const latest = ok(await server.api.get(latestPath(threadId)));
    const members = rawMembers(latest.text);
    const found = [members.get('our_state'), members.get('error')];
    expect(found.map((text, n) => text === [long('last state'), long('error')][n])).toEqual([true, true]);
    expect([members.get('first'), members.get('é')]).toEqual(['1.0', '[2]']);
    ok(await report());
    expect((await server.api.get(latestPath(threadId))).headers.etag).toBe(latest.headers.etag);
    const { text } = ok(await server.api.get(threadPath(threadId)));
    expect(rawElements(rawAt(text, 'logs') ?? '').filter((entry) => entry.includes('note €'))).toHaveLength(1);
  });

  it('for a very long value beside tool calls and what is asked of those who decide on them', async () => {
    const threadId = newThreadId();
    const state = `["${'é'.repeat(300_000)}"]`;
    const calls = '[{"id":"c","function":"pay","args":{}}]';
    const asked = `,"pending_tool_calls":${calls},"our_state":${state},"approval_features":["edit"],"our_end":1`;
    ok(await post(threadId, 0, [], asked));
    const [approval] = ok(await server.api.get(`/approvals?thread_id=${threadId}`)).json<{ items: object[] }>().items;
    expect(approval).toMatchObject({ approval_features: ['edit'] });
    ok(await post(threadId, 1, ['"on"']));
    const { text } = ok(await server.api.get(threadPath(threadId, '/checkpoints')));
    const members = rawMembers(rawElements(rawAt(text, 'items') ?? '')[0]!);
    expect([members.get('our_state') === state, members.get('our_end')]).toEqual([true, '1']);
  });

  it.each([
    ['one very long value among very many', 1500, (n: number) => (n === 700 ? 300_000 : 3)],
    ['many very long values', 40, () => 300_000],
  ])('for %s, which the end of the run amends', async (_, count, lengthOf) => {
    const threadId = newThreadId();
    const values = Array.from({ length: count }, (__, n) => `["${n}é${'z'.repeat(lengthOf(n))}"]`);
    ok(await post(threadId, 0, [], `,${values.map((value, n) => `"our \\" ${n}":${value}`).join(',')}`));
    const read = async () => {
      const members = [...rawMembers(ok(await server.api.get(latestPath(threadId))).text)];
      return members.filter(([name]) => name.startsWith('our')).map(([, value]) => value);
    };
    // Compared as texts: showing a difference between lists this long would take minutes.
    expect((await read()).join() === values.join()).toBe(true);
    await record(server.api, { type: 'thread_completed', data: { thread_id: threadId, 'our " 1': 'amended' } });
    const [first, , ...rest] = values;
    expect((await read()).join() === [first, ...rest, '"amended"'].join()).toBe(true);
  });

  it('for fields that the server does not know, at any depth', async () => {
    const threadId = newThreadId();
    const unknown = '{"big":12345678901234567890,"z":1,"a":[1.0,{"deep":"é"}]}';
    ok(await post(threadId, 0, MESSAGES.slice(0, 1), `,"our_state":${unknown},"our_number":98765432109876543210`));
    const members = rawMembers(ok(await server.api.get(latestPath(threadId))).text);
    expect([members.get('our_state'), members.get('our_number')]).toEqual([unknown, '98765432109876543210']);
  });

  it('for tool calls that wait for a decision', async () => {
    const threadId = newThreadId();
    const calls = '[{"function":"pay","args":{"amount":10000000000000000001,"to":"é"}}]';
    ok(await post(threadId, 0, [], `,"pending_tool_calls":${calls}`));
    expect(rawAt(ok(await server.api.get(latestPath(threadId))).text, 'pending_tool_calls')).toBe(calls);
  });

  it("but a reported approval, error or updated_at never replaces the server's own", async () => {
    const threadId = newThreadId();
    ok(
      await post(
        threadId,
        0,
        [],
        ',"approval":{"status":"approved"},"error":"mine","updated_at":"1999-01-01T00:00:00.000Z"',
      ),
    );
    const latest = ok(await server.api.get(latestPath(threadId))).json();
    expect(latest.approval).toBeNull();
    expect(latest.error).toBeNull();
    expect(Date.parse(String(latest.updated_at))).toBeGreaterThan(Date.UTC(2026, 0, 1));
  });

  it('with a history_meta that is longer than an empty history, as clients send it while they wait', async () => {
    const threadId = newThreadId();
    const meta = [{ ts: '2026-01-01T00:00:00.000Z' }, { ts: '2026-01-01T00:00:01.000Z', tokens_in: 3, tokens_out: 4 }];
    const data = { thread_id: threadId, trace_id: 'run-1', step_index: 0, history: [], history_meta: meta };
    await record(server.api, { type: 'checkpoint', data });
    expect(ok(await server.api.get(latestPath(threadId))).json()).toMatchObject({ history: [], history_meta: meta });
  });

  it("with the spec's defaults where nothing was reported: only thread_id is mandatory", async () => {
    const threadId = newThreadId();
    await record(server.api, { type: 'checkpoint', data: { thread_id: threadId, status: null, tokens_used: null } });
    expect(ok(await server.api.get(latestPath(threadId))).json()).toMatchObject({
      thread_id: threadId,
      trace_id: expect.stringMatching(/./),
      parent_trace_id: null,
      agent_id: 'unknown',
      step_index: 0,
      status: 'in_progress',
      history: [],
      history_meta: [],
      tokens_used: 0,
      input_tokens: 0,
      output_tokens: 0,
      turn_start_history_len: 0,
      pending_tool_calls: [],
      run_cost_usd: 0,
      budget_usd: 0,
      budget_warning: false,
    });
  });

  it('counts steps up for a client that reports none, in the run that is current', async () => {
    const threadId = newThreadId();
    for (const length of [2, 4, 6]) {
      await record(server.api, { type: 'checkpoint', data: { thread_id: threadId, history: conversation(length) } });
    }
    const { items } = ok(await server.api.get(threadPath(threadId, '/checkpoints'))).json<{
      items: { step_index: number; trace_id: string }[];
    }>();
    expect(items.map((row) => row.step_index)).toEqual([0, 1, 2]);
    expect(new Set(items.map((row) => row.trace_id)).size).toBe(1);
  });
});
