import { setImmediate } from 'node:timers/promises';
import { Slots } from './slots.js';

describe('Slots', () => {
  it('let only so much work go on at a time, in the order in which it came', async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    let [current, most] = [0, 0];
    const work = Array.from({ length: 10 }, (_, i) =>
      slots.run(async () => {
        begun.push(i);
        most = Math.max(most, ++current);
        await setImmediate();
        current -= 1;
        if (i % 3 === 0) throw new Error('failed');
      }),
    );
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')).toHaveLength(4);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(2);
    expect(await slots.run(() => Promise.resolve('free again'))).toBe('free again');
  });
});
