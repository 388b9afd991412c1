import { compareKeys, inOrder, type EntryKey, type KeyedEntry, type Stretch } from './entry-order.js';

const ROOM = 5_000; // for some twenty entries

function source(times: readonly number[]) {
  const entries = times.map((ms, seq): KeyedEntry => ({ key: [ms, seq, 0], text: `${ms}:${seq}`.padEnd(50) }));
  const figures = { readings: 0 };
  async function* read(): AsyncGenerator<KeyedEntry> {
    figures.readings += 1;
    yield* entries;
  }
  return { read, figures, sorted: [...entries].sort((a, b) => compareKeys(a.key, b.key)).map(({ key }) => key) };
}

async function keysOf(read: () => AsyncIterable<KeyedEntry>, stretch: Stretch): Promise<EntryKey[]> {
  const keys: EntryKey[] = [];
  for await (const { key } of inOrder(read, stretch)) keys.push(key);
  return keys;
}

const scatter = (index: number) => (index * 7919) % 1009;
const STORIES: [string, number[], number][] = [
  ['none', [], 1],
  ['few, in any order', [5, 3, 9, 1, 1, 1], 1],
  ['many that come in order', Array.from({ length: 3000 }, (_, at) => at), 2],
  ['many of which one is very late', [...Array.from({ length: 3000 }, (_, at) => at + 10), 1], 2],
  ['many that are all told at the same time', Array.from({ length: 3000 }, () => 7), 2],
];

describe('Log entries', () => {
  it.each(STORIES)('%s: are sorted, and read as often as need be', async (_, times, readings) => {
    const { read, figures, sorted } = source(times);
    expect(await keysOf(read, { heldCharacters: ROOM + 256 * 300 })).toEqual(sorted);
    expect(figures.readings).toBe(readings);
  });

  it.each([
    ['scattered', Array.from({ length: 600 }, (_, at) => scatter(at))],
    ['the other way round', Array.from({ length: 600 }, (_, at) => -at)],
    ['two stories one after the other', Array.from({ length: 600 }, (_, at) => at % 300)],
  ])('%s: are sorted in little room', async (_, times) => {
    const { read, sorted } = source(times);
    expect(await keysOf(read, { heldCharacters: ROOM })).toEqual(sorted);
    expect(await keysOf(read, { heldCharacters: 1000 })).toEqual(sorted);
  });

  it('come in pages, each in one reading', async () => {
    const { read, figures, sorted } = source(Array.from({ length: 1500 }, (_, at) => scatter(at)));
    const found: EntryKey[] = [];
    for (let page = 0; page < 15; page++) {
      found.push(...(await keysOf(read, { after: found.at(-1), atMost: 100 })));
    }
    expect(found).toEqual(sorted);
    expect(figures.readings).toBe(15);
    expect(await keysOf(read, { after: found.at(-1), atMost: 100 })).toEqual([]);
  });
});
