import { TextList } from '../../../common/text-list.js';
import { digestCalmly } from './calm-digests.js';

/** Texts that take much longer than a slice to digest. */
function longList(): TextList {
  const body = `"${'x'.repeat(4000)}"`;
  return TextList.join(Array.from({ length: 8_000 }, () => ({ body, digest: null })));
}

describe('Digests of a long history', () => {
  it('let others have their turn while they are worked out', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await digestCalmly([longList()]);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  it('are the ones that the list would have worked out by itself', async () => {
    const [calm, plain] = [longList(), longList()];
    await digestCalmly([calm]);
    expect(calm.digestOfAll()).toBe(plain.digestOfAll());
  });
});
