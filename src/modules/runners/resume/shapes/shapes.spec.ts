import { knownEffect } from '../../../../../test/factories/known-effects.js';
import type { KnownEffect } from '../call-outcomes.js';
import { ModelHistory } from '../model-history.js';

const USER = { role: 'user', content: 'Refund order 4711.' };
const UNKNOWN = '[Waystation] The run was interrupted. It is not known whether this call ran.';

const REFUNDED = knownEffect();

function repaired(history: readonly unknown[], effects: KnownEffect[] = []) {
  const texts = history.map((message) => Buffer.from(JSON.stringify(message)));
  const claims = effects.map((effect) => ({ ...effect, isOfRun: true }));
  const { messages, repairs } = new ModelHistory(texts).repaired({ claims, effects, asked: [] });
  return { messages: messages.map((message) => JSON.parse(message.toString()) as unknown), repairs };
}

describe('Shapes of calls that are answered in a way of their own', () => {
  it.each([
    [
      { type: 'custom_tool_call', call_id: 'c1', name: 'sql', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: UNKNOWN },
    ],
    [
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: {} },
      { type: 'local_shell_call_output', call_id: 'c1', output: UNKNOWN },
    ],
    [
      { type: 'shell_call', call_id: 'c1', action: {} },
      {
        type: 'shell_call_output',
        call_id: 'c1',
        output: [{ stdout: '', stderr: UNKNOWN, outcome: { type: 'exit', exit_code: 1 } }],
      },
    ],
    [
      { type: 'apply_patch_call', call_id: 'c1', operation: {} },
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: UNKNOWN },
    ],
    [
      { type: 'mcp_approval_request', id: 'c1', name: 'x' },
      { type: 'mcp_approval_response', approval_request_id: 'c1', approve: false, reason: UNKNOWN },
    ],
    [
      { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: {} },
      { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed', tools: [] },
    ],
    [
      { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'sql', input: 'x' } }] },
      { role: 'tool', tool_call_id: 'c1', content: UNKNOWN },
    ],
  ])('%o', (call, output) => {
    expect(repaired([USER, call]).messages).toEqual([USER, call, output]);
  });

  it('leaves out a click that only a picture could answer, with the thought before it, and says so', () => {
    const history = [USER, { type: 'reasoning', id: 'rs_1' }, { type: 'computer_call', call_id: 'c1', action: {} }];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([
      USER,
      { role: 'user', content: `[Waystation] A call of computer_call: ${UNKNOWN.slice(13)}` },
    ]);
    expect(repairs.map(({ kind }) => kind)).toEqual(['removed_reasoning', 'removed_call', 'inserted_result']);
  });

  it('leaves out a call of Anthropic with the id of an earlier one, which the API refuses, with its result, and says so', () => {
    const call = (input: object) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'refund', input }],
    });
    const result = (content: string) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }],
    });
    const first = [USER, call({ order: 1 }), result('one')];
    const { messages, repairs } = repaired([...first, call({ order: 2 }), result('two')]);
    expect(messages).toEqual(first);
    expect(repairs).toMatchObject([
      { index: 3, kind: 'removed_call', call_id: 'toolu_1' },
      { index: 4, kind: 'removed_result', call_id: 'toolu_1' },
    ]);
  });

  it('asks nothing of calls that OpenAI answers itself, nor of answers to calls that it has stored', () => {
    const hosted = [USER, { type: 'web_search_call', id: 'ws_1', status: 'completed' }];
    expect(repaired(hosted).repairs).toEqual([]);
    const searched = [USER, { type: 'tool_search_call', call_id: 'c1', execution: 'server', arguments: {} }];
    expect(repaired(searched).repairs).toEqual([]);
    const stored = [
      { type: 'item_reference', id: 'fc_1' },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ];
    expect(repaired(stored).repairs).toEqual([]);
  });

  it('writes as Gemini’s Python library does where the history does', () => {
    const call = { role: 'model', parts: [{ function_call: { name: 'refund', args: {} } }] };
    expect(repaired([USER, call]).messages.at(-1)).toEqual({
      role: 'user',
      parts: [{ function_response: { name: 'refund', response: { error: UNKNOWN } } }],
    });
  });

  it('finds the result of a call whose message keeps a list of one id', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'x', arguments: '{}' } }] };
    const history = [USER, call, { role: 'tool', tool_call_ids: ['c1'], content: 'done' }];
    expect(repaired(history)).toMatchObject({ messages: history, repairs: [] });
  });

  it.each(['server_tool_use', 'mcp_tool_use'])(
    'keeps a %s of Anthropic’s that is open at the end, and only there',
    (type) => {
      const search = { type, id: 's1', name: 'web_search', input: {} };
      const history = [USER, { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, search] }];
      expect(repaired(history).repairs).toEqual([]);
      const { messages, repairs } = repaired([...history, USER]);
      expect(messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'I look.' }] });
      expect(repairs).toMatchObject([{ index: 1, kind: 'removed_call', call_id: 's1' }]);
    },
  );
});

describe('A history of another shape', () => {
  it('is left alone where there is nothing', () => {
    expect(repaired([], [REFUNDED])).toMatchObject({ messages: [], repairs: [] });
  });

  it.each([
    ['values that are no objects', [1, 'two', null, [3]]],
    ['objects of an agent’s own', [{ kind: 'call', id: 'c1' }]],
    [
      'calls without ids',
      [
        USER,
        { role: 'assistant', tool_calls: [{ function: { name: 'x', arguments: {} } }] },
        { role: 'tool', content: 'y' },
      ],
    ],
  ])('stays as it is, which is said: %s', (_, history) => {
    const repairs = [{ kind: 'not_understood', call_id: null }];
    expect(repaired(history, [REFUNDED])).toMatchObject({ messages: history, repairs });
  });

  it('gets notes where it speaks of no tools', () => {
    expect(repaired([USER], [REFUNDED]).messages).toEqual([
      USER,
      { role: 'user', content: '[Waystation] The effect refund:4711 (tool refund) was completed: paid back' },
    ]);
  });
});

describe('A history of many calls', () => {
  it('is repaired in time in proportion to them', () => {
    const call = { functionCall: { name: 'x' } };
    const answer = { functionResponse: { name: 'x', response: {} } };
    const many = (part: object) => Array.from({ length: 10_000 }, () => part);
    const history = [
      { role: 'user', parts: [{ text: 'Go' }] },
      { role: 'model', parts: many(call) },
      { role: 'user', parts: many(answer) },
      { role: 'model', parts: many(call) },
      { role: 'user', parts: [answer] },
    ];
    const items = Array.from({ length: 10_000 }, (_, i) => ({ type: 'function_call', call_id: `c${i}`, name: 'x' }));
    const began = process.cpuUsage();
    expect(repaired(items).repairs).toHaveLength(10_000);
    expect(repaired(history).repairs).toHaveLength(9_999);
    const { user, system } = process.cpuUsage(began);
    expect(user + system).toBeLessThan(20_000_000);
  });
});
