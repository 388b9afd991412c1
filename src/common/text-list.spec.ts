import fc from 'fast-check';
import { TextList } from './text-list.js';

/** Few different elements, so that they recur. */
const elements = fc.array(fc.constantFrom('1', '22', '"a"', '{"b":1}'), { maxLength: 12 });

function listOf(texts: readonly string[]): TextList {
  return TextList.join(texts.map((body) => ({ body, digest: null })));
}

function textsOf(list: TextList): string[] {
  return Array.from({ length: list.count }, (_, i) => list.text(i));
}

/** A list as in a request body: all of another one, then additions. */
function reportedBehind(list: TextList, added: readonly string[]): TextList {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = list.bytes.toString();
  for (const body of added) {
    if (text !== '') text += ',';
    starts.push(text.length);
    text += body;
    ends.push(text.length);
  }
  const body = Buffer.from(`{"history":[${text}]}`);
  return TextList.of(body.subarray(12, 12 + text.length), starts, ends, list);
}

describe('The elements of a list', () => {
  it('are counted as far as two lists begin alike', () => {
    fc.assert(
      fc.property(elements, elements, elements, (both, mine, other) => {
        const common = listOf([...both, ...mine]).commonCount(listOf([...both, ...other]));
        expect(common).toBeGreaterThanOrEqual(both.length);
        expect([...both, ...mine].slice(0, common)).toEqual([...both, ...other].slice(0, common));
      }),
    );
  });

  it('are found again behind what was left out of a list', () => {
    fc.assert(
      fc.property(elements, elements, elements, (before, rest, more) => {
        const [mine, other] = [listOf([...rest, ...more]), listOf([...before, ...rest])];
        const start = mine.restIn(other, 0);
        if (start === -1) return;
        const found = textsOf(other).slice(start);
        expect(start).toBeGreaterThan(0);
        expect(textsOf(mine).slice(0, found.length)).toEqual(found);
      }),
    );
  });

  it('are found whatever stands before and behind them', () => {
    const other = listOf(['"system"', '1', '2', '3', '4']);
    expect(listOf(['3', '4', '5', '6']).restIn(other, 0)).toBe(3);
    expect(listOf(['"system"', '4', '5']).restIn(other, 1)).toBe(4);
    expect(listOf(['2', '3', '4']).restIn(other, 0)).toBe(2);
  });

  it('are not taken for the rest of a list that goes on in another way', () => {
    const other = listOf(['1', '2', '3', '4']);
    for (const texts of [['3'], ['3', '5'], ['5', '4'], ['"system"', '3'], []])
      expect(listOf(texts).restIn(other, 0)).toBe(-1);
  });

  it('are those of the beginning and what was put behind it, however often others went on from it', () => {
    const step = fc.record({
      from: fc.nat(20),
      left: fc.constantFrom(0, 0, 0, 1, 2, 9),
      added: elements,
      isKept: fc.boolean(),
      isWhole: fc.boolean(),
    });
    fc.assert(
      fc.property(elements, fc.array(step, { maxLength: 12 }), (first, steps) => {
        const lists = [{ list: listOf(first), texts: first }];
        for (const { from, left, added, isKept, isWhole } of steps) {
          const base = lists[from % lists.length]!;
          const count = isWhole ? base.texts.length : Math.max(0, base.texts.length - left);
          const list = isWhole
            ? reportedBehind(base.list, added)
            : TextList.append({ list: base.list, count }, listOf(added));
          lists.push({
            list: isKept ? list.detachedFromBody() : list,
            texts: [...base.texts.slice(0, count), ...added],
          });
        }
        for (const { list, texts } of lists) {
          const plain = listOf(texts);
          expect(textsOf(list)).toEqual(texts);
          expect(list.bytes.toString()).toBe(plain.bytes.toString());
          expect(list.digestOfAll(true)).toBe(plain.digestOfAll(true));
          expect(lists.map((other) => list.commonCount(other.list))).toEqual(
            lists.map((other) => plain.commonCount(listOf(other.texts))),
          );
        }
      }),
    );
  });

  it('can be put behind themselves', () => {
    const list = listOf(['1', '2']);
    const doubled = TextList.append({ list, count: 2 }, list);
    expect(textsOf(doubled)).toEqual(['1', '2', '1', '2']);
    expect(list.count).toBe(2);
  });

  it('take memory for what is new alone while each list goes on where the one before ended', () => {
    const added = listOf(['"a"', '"b"']);
    let list = TextList.append({ list: listOf(['1']), count: 1 }, added);
    let copies = 0;
    for (let turn = 0; turn < 2_000; turn++) {
      const next = TextList.append({ list, count: list.count }, added).detachedFromBody();
      if (next.bytes.buffer !== list.bytes.buffer) copies += 1;
      list = next;
    }
    expect(list.count).toBe(4_003);
    expect(copies).toBeLessThan(15);
    expect(list.bytes.buffer.byteLength).toBeLessThan(2 * list.bytes.length);
  });

  it('take no more where each body brings them all', () => {
    let list = reportedBehind(TextList.EMPTY, ['1']).detachedFromBody();
    let copies = 0;
    for (let turn = 0; turn < 1_000; turn++) {
      const next = reportedBehind(list, ['"a"', '"b"']).detachedFromBody();
      if (next.bytes.buffer !== list.bytes.buffer) copies += 1;
      list = next;
    }
    expect(list.count).toBe(2_001);
    expect(copies).toBeLessThan(15);
    expect(list.bytes.buffer.byteLength).toBeLessThan(2 * list.bytes.length);
  });

  it('have the same digest however they came together', () => {
    const texts = Array.from({ length: 1_100 }, (_, n) => `${n}`);
    const digestOf = (some: readonly string[]) => listOf(some).digestOfAll(true);
    const all = listOf(texts);
    all.digestOfAll(true);
    for (const count of [1, 255, 256, 257, 512, 700, 1_024, 1_099]) {
      const cut = TextList.append({ list: all, count }, TextList.EMPTY);
      expect(cut.digestOfAll(true)).toBe(digestOf(texts.slice(0, count)));
      for (const beginning of [cut, all]) {
        const edited = TextList.append({ list: beginning, count }, listOf(['"new"', '"other"']));
        const expected = [...texts.slice(0, count), '"new"', '"other"'];
        expect(edited.digestOfAll(true)).toBe(digestOf(expected));
        const further = TextList.append({ list: edited, count: count + 1 }, listOf(texts));
        expect(further.digestOfAll(true)).toBe(digestOf([...expected.slice(0, -1), ...texts]));
        expect(further.commonCount(edited)).toBe(count + 1);
        expect(edited.commonCount(all)).toBe(count);
      }
    }
  });
});
