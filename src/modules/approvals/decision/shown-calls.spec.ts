import { keptCalls, showCalls } from './shown-calls.js';

const long = (bytes: number) => `{"id":"c","name":"write","args":"${'x'.repeat(bytes)}"}`;

describe('Calls that wait', () => {
  it('are kept and shown whole where they are no more than can be shown', () => {
    const text = `[ ${long(500_000)}, {"name":"rm","args":{"n":12345678901234567890}} ]`;
    expect(keptCalls(text)).toBe(text);
    expect(showCalls(text)).toMatchObject({ isCut: false, calls: [{}, { args: '{"n":12345678901234567890}' }] });
  });

  it.each([
    ['kept by this release', keptCalls],
    ['kept by an earlier one', (text: string) => text],
  ])('show names and ids where they are too large: %s', (_by, keep) => {
    const kept = keep(`[${long(1_500_000)},{"name":"rm","args":{"n":12345678901234567890}}]`);
    expect(showCalls(kept)).toEqual({
      isCut: true,
      calls: [
        { index: 0, id: 'c', name: 'write', args: '"too large to show (1500035 bytes)"', raw: 'null' },
        {
          index: 1,
          id: null,
          name: 'rm',
          args: '{"n":12345678901234567890}',
          raw: '{"name":"rm","args":{"n":12345678901234567890}}',
        },
      ],
    });
  });

  it.each([
    ['millions of them', `[${'{},'.repeat(3_000_000)}{}]`, 10_000],
    ['many in few bytes', `[${'1,'.repeat(10_000)}1]`, 10_000],
    ['millions of levels', `[${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}]`, 1],
  ])('are cut, also those stored before: %s', (_what, text, count) => {
    for (const kept of [text, keptCalls(text)]) {
      const { calls, isCut } = showCalls(kept);
      expect(isCut).toBe(true);
      expect(calls).toHaveLength(count);
    }
  });
});
