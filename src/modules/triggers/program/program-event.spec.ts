import { isProgramsOwn, readProgramEvent } from './program-event.js';

const ids = { thread_id: 't', trace_id: 'r', agent_id: 'support' };
const read = (line: string) => readProgramEvent(Buffer.from(line), ids);

describe('A line that a program prints', () => {
  it('is an event when it is an object with type and data', () => {
    expect(read('{"type":"checkpoint","data":{"step_index":3}}')).toMatchObject({
      type: 'checkpoint',
      data: { ...ids, step_index: 3 },
    });
  });

  it.each([
    'text',
    '',
    '{"type":"checkpoint"}',
    '{"type":"checkpoint","data":[]}',
    '{"type":"","data":{}}',
    '{"type":1,"data":{}}',
    '{"data":{}}',
    '[{"type":"checkpoint","data":{}}]',
    '{"type":"checkpoint","data":{}',
    '"{}"',
  ])('is part of the answer otherwise: %s', (line) => {
    expect(read(line)).toBeNull();
  });

  it('gets the ids that it leaves out, and keeps its own', () => {
    const event = read(' {"type":"checkpoint", "data": {"agent_id":null,"trace_id":"own"} } ');
    expect(JSON.parse(event!.dataText)).toEqual({ thread_id: 't', agent_id: 'support', trace_id: 'own' });
  });

  it('keeps its data exactly', () => {
    const data =
      '{"thread_id":"t","trace_id":"r","agent_id":"support","n":12345678901234567890,"h":[ 1.0 , "\\u00fc"]}';
    const { dataText } = read(`{"type":"checkpoint","data":${data}}`)!;
    expect(dataText).toContain('"n":12345678901234567890');
    expect(dataText).toContain('[ 1.0 , "\\u00fc"]');
  });

  it('may bring its own id and time', () => {
    const stamp = { id: 'e1', sequence_num: 4, occurred_at: '2026-01-01T00:00:00.000Z' };
    expect(read(JSON.stringify({ type: 'x', ...stamp, data: {} }))!.stamp).toEqual(stamp);
  });

  it.each([
    ['its own agent', { agent_id: 'support' }, true],
    ['its own agent in another thread', { agent_id: 'support', thread_id: 'x', trace_id: 'y' }, true],
    ['a sub-agent of the run', { agent_id: 'helper', trace_id: 'r2', parent_trace_id: 'r' }, true],
    ['another agent', { agent_id: 'helper' }, false],
    ['another agent as its own sub-agent', { agent_id: 'helper', trace_id: 'r', parent_trace_id: 'r' }, false],
    ['a sub-agent in another thread', { agent_id: 'h', thread_id: 'x', trace_id: 'r2', parent_trace_id: 'r' }, false],
  ])('about %s: allowed is %s', (_, data, isAllowed) => {
    expect(isProgramsOwn(read(JSON.stringify({ type: 'checkpoint', data }))!, ids)).toBe(isAllowed);
  });

  it('is never a heartbeat', () => {
    expect(isProgramsOwn(read('{"type":"heartbeat","data":{"agent_id":"support"}}')!, ids)).toBe(false);
  });
});
