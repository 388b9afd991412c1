import { readToolCalls } from './tool-calls.js';

const BIG = '12345678901234567890123';

describe('Tool calls of every known shape', () => {
  it.each([
    ['function and args', '{"function":"refund","args":{"order":1}}', null, 'refund', '{"order":1}'],
    ['name and arguments as text', '{"name":"refund","arguments":"{\\"order\\": 1}"}', null, 'refund', '{"order": 1}'],
    ['name and arguments as an object', '{"name":"refund","arguments":{"order":1}}', null, 'refund', '{"order":1}'],
    [
      'OpenAI chat',
      '{"id":"call_1","type":"function","function":{"name":"refund","arguments":"{\\"order\\":1}"}}',
      'call_1',
      'refund',
      '{"order":1}',
    ],
    [
      'OpenAI Responses, whose call_id is the one to answer',
      '{"type":"function_call","id":"fc_1","call_id":"call_1","name":"refund","arguments":"{}"}',
      'call_1',
      'refund',
      '{}',
    ],
    [
      'Anthropic',
      '{"type":"tool_use","id":"toolu_1","name":"refund","input":{"order":1}}',
      'toolu_1',
      'refund',
      '{"order":1}',
    ],
    ['Gemini', '{"functionCall":{"name":"refund","args":{"order":1}}}', null, 'refund', '{"order":1}'],
    ['Bedrock', '{"toolUse":{"toolUseId":"t1","name":"refund","input":{}}}', 't1', 'refund', '{}'],
    ['LangChain', '{"name":"refund","args":{"order":1},"id":"c1","type":"tool_call"}', 'c1', 'refund', '{"order":1}'],
    [
      'a request to act',
      '{"action_request":{"action":"refund","args":{"order":1}},"description":"?"}',
      null,
      'refund',
      '{"order":1}',
    ],
    ['AI SDK', '{"toolCallId":"c1","toolName":"refund","input":{"order":1}}', 'c1', 'refund', '{"order":1}'],
    ['tool_name', '{"tool_name":"refund","args":"{\\"order\\":1}","tool_call_id":"c1"}', 'c1', 'refund', '{"order":1}'],
    ['tool and tool_input', '{"tool":"search","tool_input":"who?"}', null, 'search', '"who?"'],
    ['no arguments', '{"name":"refund"}', null, 'refund', '{}'],
    ['null for arguments', '{"name":"refund","arguments":null}', null, 'refund', '{}'],
    ['no text in the arguments', '{"name":"refund","arguments":""}', null, 'refund', '""'],
    ['arguments that are no JSON', '{"name":"sql","arguments":"DROP TABLE x"}', null, 'sql', '"DROP TABLE x"'],
    ['arguments that are a number as text', '{"name":"sleep","arguments":"60"}', null, 'sleep', '"60"'],
    ['a list for arguments', '{"name":"sum","arguments":"[1,2]"}', null, 'sum', '[1,2]'],
  ])('%s', (_shape, raw, id, name, args) => {
    expect(readToolCalls(`[${raw}]`)).toEqual([{ index: 0, id, name, args, raw }]);
  });
});

describe('Tool calls of an unknown shape', () => {
  it.each([
    ['text', '"rm -rf /tmp/x"'],
    ['a number', '7'],
    ['null', 'null'],
    ['an empty text', '""'],
    ['a list', '["refund", 4711]'],
    ['an empty object', '{}'],
    ['an object without a name', '{"what":"refund","with":{"order":1}}'],
    ['an object with a name that is no text', '{"name":{"first":"refund"}}'],
  ])('%s is shown as it is', (_shape, raw) => {
    expect(readToolCalls(`[${raw}]`)).toEqual([{ index: 0, id: null, name: null, args: raw, raw }]);
  });

  it('an argument that looks like a call is no call', () => {
    const raw = '{"name":"hire","args":{"name":"Bob","function":"manager"}}';
    expect(readToolCalls(`[${raw}]`)).toMatchObject([{ name: 'hire', args: '{"name":"Bob","function":"manager"}' }]);
  });
});

describe('The text of tool calls', () => {
  it('keeps every digit, letter, space and key in its place', () => {
    const args = `{ "z": ${BIG}, "a": 1.10, "ü\\u00fc": "\\ud83d\\ude00 \\u0000", "__proto__": 1, "e": 1e400 }`;
    const raw = `{"name":"pay","arguments":${args}}`;
    expect(readToolCalls(`[\n ${raw} ,\t${raw}]`)).toEqual([
      { index: 0, id: null, name: 'pay', args, raw },
      { index: 1, id: null, name: 'pay', args, raw },
    ]);
  });

  it('keeps every digit of arguments within a text', () => {
    const raw = `{"name":"pay","arguments":"{\\"cents\\": ${BIG}, \\"to\\": \\"é\\\\u00e9\\"}"}`;
    expect(readToolCalls(`[${raw}]`)[0]!.args).toBe(`{"cents": ${BIG}, "to": "é\\u00e9"}`);
  });

  it('leaves a text alone whose content could not be written as UTF-8', () => {
    const raw = '{"name":"say","arguments":"{\\"x\\":\\"\\ud83d\\"}"}';
    expect(readToolCalls(`[${raw}]`)[0]!.args).toBe('"{\\"x\\":\\"\\ud83d\\"}"');
  });

  it('of deep and of many calls is read without ado', () => {
    const deep = `{"name":"deep","args":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(readToolCalls(`[${deep}]`)[0]).toMatchObject({ name: 'deep', raw: deep });
    expect(readToolCalls(`[${Array.from({ length: 5000 }, () => '{"name":"x"}').join(',')}]`)).toHaveLength(5000);
  });
});
