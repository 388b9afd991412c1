import { ProgramEventFilter, readProgramEvent } from './program-event.js';

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

  it('takes an empty id for an absent one: else it would mean whatever run is current in the thread', () => {
    const { dataText, data } = read(
      '{"type":"x","data":{"trace_id":"","thread_id":"","agent_id":"","parent_trace_id":""}}',
    )!;
    expect([JSON.parse(dataText), data]).toEqual([ids, ids]);
  });

  it.each([
    '{"type":"x","data":{"trace_id":"theirs","trace_id":"r"}}',
    '{"type":"x","data":{"trace\\u005fid":"theirs","trace_id":"r"}}',
    '{"type":"x","data":{"trace_id":"r","n":1},"data":{"n":1}}',
    '{"type":"x","data":{"trace_id":"theirs","more":2},"data":{"trace_id":"r"}}',
    '{"type":"x","d\\u0061ta":{"trace_id":"theirs"},"data":{"trace_id":"r"}}',
  ])('says of each id one thing only, however often it stands there: %s', (line) => {
    const { dataText } = read(line)!;
    expect(dataText.match(/trace_id/g)).toHaveLength(1);
    expect(JSON.parse(dataText)).toMatchObject({ trace_id: 'r' });
    expect(dataText).not.toMatch(/theirs|more/);
  });

  const spoken = (data: object, voice = new ProgramEventFilter(ids), type = 'checkpoint') =>
    voice.permitted(read(JSON.stringify({ type, data }))!);

  it.each([
    ['its own run', { agent_id: 'support' }, true],
    ['a sub-agent of the run', { agent_id: 'helper', trace_id: 'r2', parent_trace_id: 'r' }, true],
    ['its own agent in another run below', { trace_id: 'r2', parent_trace_id: 'r' }, true],
    ['its own agent in another thread', { thread_id: 'x', trace_id: 'y' }, false],
    ['its own run in another thread', { thread_id: 'x' }, false],
    ['its own agent in another run', { trace_id: 'y' }, false],
    ['another run below that of others', { trace_id: 'y', parent_trace_id: 'theirs' }, false],
    ['another agent', { agent_id: 'helper' }, false],
    ['another agent as its own sub-agent', { agent_id: 'helper', trace_id: 'r', parent_trace_id: 'r' }, false],
    ['a sub-agent in another thread', { agent_id: 'h', thread_id: 'x', trace_id: 'r2', parent_trace_id: 'r' }, false],
    ['a trace that is no text', { trace_id: ['r'] }, false],
    ['an agent that is no text', { agent_id: ['support'] }, false],
    ['a caller that is no text', { trace_id: 'r2', parent_trace_id: ['r'] }, false],
  ])('about %s: allowed is %s', (_, data, isAllowed) => {
    expect(spoken(data) !== null).toBe(isAllowed);
  });

  it('may be about runs below the runs below, once those have been named', () => {
    const voice = new ProgramEventFilter(ids);
    const deeper = { agent_id: 'h', trace_id: 'r3', parent_trace_id: 'r2' };
    expect(spoken(deeper, voice)).toBeNull();
    spoken({ agent_id: 'h', trace_id: 'r2', parent_trace_id: 'r' }, voice);
    expect(spoken(deeper, voice)).not.toBeNull();
    expect(spoken({ agent_id: 'h', trace_id: 'r3' }, voice)).not.toBeNull();
  });

  it('does not say by whom its run was called, and puts no run below that of others', () => {
    const voice = new ProgramEventFilter(ids);
    spoken({ trace_id: 'r2', parent_trace_id: 'r' }, voice);
    const lines = [
      { n: 1, parent_trace_id: 'theirs' },
      { trace_id: 'r2', parent_trace_id: 'theirs' },
    ];
    for (const data of lines) {
      const { dataText } = spoken(data, voice)!;
      expect(JSON.parse(dataText)).toEqual({ ...ids, ...data, parent_trace_id: undefined });
      expect(dataText).not.toContain('theirs');
    }
  });

  it('is never a heartbeat', () => {
    expect(spoken({ agent_id: 'support' }, undefined, 'heartbeat')).toBeNull();
  });
});
