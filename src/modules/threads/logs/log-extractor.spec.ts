import type { LogSource } from './log-entry.js';
import { LogExtractor } from './log-extractor.js';

const at = (second: number, more: Partial<LogSource> = {}): LogSource => ({
  ts: new Date(Date.UTC(2026, 10, 20, 9, 0, second)).toISOString(),
  agent_id: 'support',
  trace_id: 'run-1',
  step_index: second,
  ...more,
});

const chatCall = (id: string, name: string) =>
  JSON.stringify({ role: 'assistant', content: null, tool_calls: [{ id, function: { name, arguments: '{}' } }] });
const chatResult = (id: string) => JSON.stringify({ role: 'tool', tool_call_id: id, content: 'ok' });

describe('LogExtractor', () => {
  it('gives every entry the place of its message', () => {
    const [entry] = new LogExtractor().extract('{"role":"user","content":"Hi"}', at(1));
    expect(entry).toEqual({
      ts: '2026-11-20T09:00:01.000Z',
      level: 'info',
      kind: 'user',
      message: 'Hi',
      agent_id: 'support',
      trace_id: 'run-1',
      step_index: 1,
    });
  });

  it('gives a tool result the name of its call and the time that it took', () => {
    const logs = new LogExtractor();
    const [call] = logs.extract(chatCall('c1', 'search'), at(1));
    const [result] = logs.extract(chatResult('c1'), at(3));
    expect(call).toMatchObject({ kind: 'tool_call', level: 'tool', tool_name: 'search', message: 'search({})' });
    expect(call).not.toHaveProperty('duration_ms');
    expect(result).toMatchObject({ kind: 'tool_result', level: 'tool', tool_name: 'search', duration_ms: 2000 });
  });

  it('tells parallel calls apart, in the shape of each API', () => {
    const logs = new LogExtractor();
    logs.extract(
      '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"one","input":{}},{"type":"tool_use","id":"b","name":"two","input":{}}]}',
      at(1),
    );
    const results = logs.extract(
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"tool_result","tool_use_id":"a","content":"1","is_error":true}]}',
      at(2),
    );
    expect(results).toMatchObject([
      { tool_name: 'two', level: 'tool', duration_ms: 1000 },
      { tool_name: 'one', level: 'error', duration_ms: 1000 },
    ]);
    logs.extract('{"role":"model","parts":[{"functionCall":{"name":"three","args":{}}}]}', at(3));
    const [response] = logs.extract(
      '{"role":"user","parts":[{"functionResponse":{"name":"three","response":{}}}]}',
      at(4),
    );
    expect(response).toMatchObject({ tool_name: 'three', duration_ms: 1000 });
    logs.extract('{"type":"function_call","call_id":"d","name":"four","arguments":"{}"}', at(5));
    const [output] = logs.extract('{"type":"function_call_output","call_id":"d","output":"4"}', at(6));
    expect(output).toMatchObject({ tool_name: 'four', duration_ms: 1000 });
  });

  it('keeps the calls of runs apart that use the same ids at the same time', () => {
    const logs = new LogExtractor();
    logs.extract(chatCall('call_1', 'search'), at(1));
    logs.extract(chatCall('call_1', 'book'), at(2, { trace_id: 'run-2' }));
    expect(logs.extract(chatResult('call_1'), at(3))).toMatchObject([{ tool_name: 'search', duration_ms: 2000 }]);
    expect(logs.extract(chatResult('call_1'), at(3, { trace_id: 'run-2' }))).toMatchObject([
      { tool_name: 'book', duration_ms: 1000 },
    ]);
  });

  it('knows the call that an earlier run of the thread made', () => {
    const logs = new LogExtractor();
    logs.extract(chatCall('c1', 'refund'), at(1));
    expect(logs.extract(chatResult('c1'), at(9, { trace_id: 'run-2' }))).toMatchObject([
      { tool_name: 'refund', duration_ms: 8000 },
    ]);
  });

  it.each([
    ['the call came after it', at(5), at(3)],
    ['the time of the call is estimated', at(1, { is_ts_estimated: true }), at(3)],
    ['its own time is estimated', at(1), at(3, { is_ts_estimated: true })],
    ['a time is no time', at(1, { ts: 'yesterday' }), at(3)],
  ])('gives a tool result no duration when %s', (_why, ofCall, ofResult) => {
    const logs = new LogExtractor();
    logs.extract(chatCall('c1', 'search'), ofCall);
    const [entry] = logs.extract(chatResult('c1'), ofResult);
    expect(entry).toMatchObject({ tool_name: 'search' });
    expect(entry).not.toHaveProperty('duration_ms');
  });

  it('gives no duration to a hosted tool whose call and result came together', () => {
    const item = '{"type":"mcp_call","id":"m1","name":"roll","arguments":"{}","output":"6"}';
    const [, result] = new LogExtractor().extract(item, at(1));
    expect(result).toMatchObject({ kind: 'tool_result', tool_name: 'roll', message: '6' });
    expect(result).not.toHaveProperty('duration_ms');
  });

  it('uses the name that a result gives itself when its call was never seen', () => {
    const text = '{"role":"tool","tool_call_id":"gone","name":"search","content":"ok"}';
    const [entry] = new LogExtractor().extract(text, at(1));
    expect(entry).toMatchObject({ tool_name: 'search' });
    expect(new LogExtractor().extract(chatResult('gone'), at(1))[0]).not.toHaveProperty('tool_name');
  });

  it('counts the tokens of a message once, with its answer if there is one', () => {
    const logs = new LogExtractor();
    const source = at(1, { tokens_in: 100, tokens_out: 20 });
    const blocks = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ];
    const [thinking, answer] = logs.extract(JSON.stringify({ role: 'assistant', content: blocks }), source);
    expect(thinking).not.toHaveProperty('tokens_in');
    expect(answer).toMatchObject({ tokens_in: 100, tokens_out: 20 });
    expect(logs.extract(chatCall('c1', 'search'), source)).toMatchObject([{ tokens_in: 100, tokens_out: 20 }]);
  });

  it.each([
    [
      'an object of no known shape',
      '{ "step": 1, "big": 12345678901234567890 }',
      '{"step":1,"big":12345678901234567890}',
    ],
    ['an unknown role', '{"role":"narrator","content":"Once"}', '{"role":"narrator","content":"Once"}'],
    ['a known role that says nothing known', '{"role":"user","text":"Hi"}', '{"role":"user","text":"Hi"}'],
    ['a text', '"Hello"', 'Hello'],
    ['a list', '[1, 2]', '[1,2]'],
    ['null', 'null', 'null'],
    ['text that is no JSON', '{"role":', '{"role":'],
  ])('makes one info entry of %s', (_what, text, message) => {
    expect(new LogExtractor().extract(text, at(1))).toMatchObject([{ kind: 'event', level: 'info', message }]);
  });

  it('cuts what it does not understand and keeps all of what it does', () => {
    const long = 'x'.repeat(100_000);
    const logs = new LogExtractor();
    expect(logs.extract(JSON.stringify({ blob: long }), at(1))[0]?.message).toHaveLength(4_001);
    expect(logs.extract(JSON.stringify({ role: 'user', content: long }), at(1))[0]?.message).toBe(long);
  });

  it.each([
    ['deep', `${'['.repeat(12_000_000)}${']'.repeat(12_000_000)}`],
    ['wide', `[${'{},'.repeat(10_000_000)}{}]`],
  ])('shows the beginning of a message that is too large, and never parses it: %s', (_what, text) => {
    const [entry] = new LogExtractor().extract(text, at(1));
    expect(entry?.message).toContain(`too large to show (${text.length} characters): ${text.slice(0, 100)}`);
    expect(entry?.message.length).toBeLessThan(4_100);
  });

  it('survives any depth of nesting, wherever it stands', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const texts = [
      deep,
      `{"role":"user","content":${deep}}`,
      `{"role":"tool","content":${deep}}`,
      `{"role":"assistant","content":[{"type":"tool_use","name":"a","input":${deep}}]}`,
      `{"role":"model","parts":[{"functionCall":{"name":"a","args":${deep}}}]}`,
      `${'{"message":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ];
    for (const text of texts) expect(new LogExtractor().extract(text, at(1))).toHaveLength(1);
  });
});
