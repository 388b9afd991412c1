import fc from 'fast-check';
import { HistoryBases } from './history-bases.js';

interface Event {
  type: string;
  id: string;
  data: { history_base?: { id: string; length: number }; history: unknown[]; history_meta?: unknown[] };
}

const LONG = 'x'.repeat(600);
const said = (...texts: string[]) => texts.map((text) => ({ role: 'user', content: text + LONG }));

function eventText(id: string, history: readonly unknown[], fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    type: 'checkpoint',
    id,
    data: { thread_id: 't', agent_id: 'a', trace_id: 'r', ...fields, history },
  });
}

function basesInUse(): HistoryBases {
  const bases = new HistoryBases();
  bases.learn('history_base');
  return bases;
}

/** Sends a batch whose events at `refused` are not stored. */
function send(bases: HistoryBases, texts: readonly string[], refused: readonly number[] = []): string[] {
  const prepared = bases.prepare(texts);
  bases.settled(prepared, new Set(refused));
  return [...prepared.texts];
}

const baseIn = (text: string | undefined) => (JSON.parse(text!) as Event).data.history_base;

describe('Reports to a server that has their beginning', () => {
  it('are sent whole until it has announced that it understands bases, and where it does not any more', () => {
    const bases = new HistoryBases();
    const texts = [eventText('1', said('a')), eventText('2', said('a', 'b')), eventText('3', said('a', 'b', 'c'))];
    expect(send(bases, [texts[0]!])).toEqual([texts[0]]);
    bases.learn('another, history_base');
    expect(send(bases, [texts[1]!])).toEqual([texts[1]]);
    expect(baseIn(send(bases, [texts[2]!])[0])).toEqual({ id: '2', length: 2 });
    bases.learn(null);
    expect(send(bases, [texts[2]!])).toEqual([texts[2]]);
  });

  it('name the one before, in the same batch, in the batch before, or of the run before', () => {
    const bases = basesInUse();
    const first = [eventText('1', said('a')), eventText('2', said('a', 'b'))];
    expect(send(bases, first).map(baseIn)).toEqual([undefined, { id: '1', length: 1 }]);
    expect(send(bases, [eventText('3', said('a', 'b', 'c'))]).map(baseIn)).toEqual([{ id: '2', length: 2 }]);
    expect(send(bases, [eventText('4', said('a', 'x'))]).map(baseIn)).toEqual([{ id: '3', length: 1 }]);
    expect(send(bases, [eventText('5', said('a', 'x'), { trace_id: 's' })]).map(baseIn)).toEqual([
      { id: '4', length: 2 },
    ]);
    for (const other of [{ thread_id: 'u' }, { agent_id: 'b' }])
      expect(send(bases, [eventText('6', said('a'), other)]).map(baseIn)).toEqual([undefined]);
  });

  it('go out whole again once their base was refused, and where little is spared', () => {
    const bases = basesInUse();
    send(bases, [eventText('1', said('a'))]);
    expect(send(bases, [eventText('2', said('a', 'b'))], [0]).map(baseIn)).toEqual([{ id: '1', length: 1 }]);
    expect(send(bases, [eventText('2', said('a', 'b'))]).map(baseIn)).toEqual([undefined]);
    send(bases, [eventText('3', ['short'])]);
    expect(send(bases, [eventText('4', ['short', 'shorter'])]).map(baseIn)).toEqual([undefined]);
  });

  it('have no base before a whole one of their thread, which a repetition would overtake', () => {
    const bases = basesInUse();
    send(bases, [eventText('1', said('a'))]);
    const texts = [eventText('2', said('a', 'b')), eventText('3', said('z')), eventText('4', said('z', 'y'))];
    expect(send(bases, texts).map(baseIn)).toEqual([undefined, undefined, { id: '3', length: 1 }]);
    const waiting = [eventText('5', said('z', 'y', 'x')), eventText('6', [])];
    expect(send(bases, waiting).map(baseIn)).toEqual([undefined, undefined]);
    expect(send(bases, [eventText('7', said('z', 'y', 'x', 'w'))]).map(baseIn)).toEqual([{ id: '5', length: 3 }]);
  });

  it.each([
    '{',
    '7',
    '{"type":"checkpoint"}',
    '{"type":"checkpoint","id":"1","data":7}',
    '{"type":"checkpoint","id":"1","data":{"history":7}}',
  ])('are left as they are where they are none: %s', (text) => {
    const bases = basesInUse();
    expect(send(bases, [text, text])).toEqual([text, text]);
  });

  it('say the same, to the last byte, with what their base says', () => {
    const element = fc.constantFrom('1e400', `"${LONG}"`, '{ "a" : [1, 2] }', '"\\u0041ü"', '[]', `{"b":"],${LONG}"}`);
    const elements = fc.array(element, { maxLength: 5 });
    const space = fc.constantFrom('', ' ', '\n ');
    const step = fc.record({
      kept: fc.nat(6),
      history: elements,
      keptMeta: fc.nat(6),
      meta: fc.option(elements),
      space,
      isFirst: fc.boolean(),
    });
    let named = 0;
    const play = (steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) => {
      const bases = basesInUse();
      const stored = new Map<string, { history: string[]; meta: string[] }>();
      let [history, meta]: [string[], string[]] = [[], []];
      for (const [index, now] of steps.entries()) {
        history = [...history.slice(0, now.kept), ...now.history];
        meta = now.meta === null ? [] : [...meta.slice(0, now.keptMeta), ...now.meta];
        const text = (lists: { history: string[]; meta: string[] }, base = '') => {
          const between = `${now.space},${now.space}`;
          const members = [`"history"${now.space}:[${now.space}${lists.history.join(between)}${now.space}]`];
          if (now.meta !== null) members.push(`"history_meta":[${lists.meta.join(between)}]`);
          if (now.isFirst) members.reverse();
          return `{"type":"checkpoint","id":"${index}","data":{${base}"thread_id":"t",${members.join()},"n":1e400}}`;
        };
        const whole = text({ history, meta });
        const [sent] = send(bases, [whole]);
        const base = /"history_base":\{"id":"(\d+)","length":(\d+)\},/.exec(sent!);
        if (base) {
          named += 1;
          const length = Number(base[2]);
          const { history: before, meta: metaBefore } = stored.get(base[1]!)!;
          const metaLength = Math.min(length, metaBefore.length);
          expect([...before.slice(0, length), ...history.slice(length)]).toEqual(history);
          expect([...metaBefore.slice(0, metaLength), ...meta.slice(metaLength)]).toEqual(meta);
          const rest = { history: history.slice(length), meta: meta.slice(metaLength) };
          expect(sent!.replaceAll(/\s/g, '')).toBe(text(rest, base[0]).replaceAll(/\s/g, ''));
        } else expect(sent).toBe(whole);
        stored.set(String(index), { history, meta });
      }
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 8 }), play), { numRuns: 300 });
    expect(named).toBeGreaterThan(20);
  });
});
