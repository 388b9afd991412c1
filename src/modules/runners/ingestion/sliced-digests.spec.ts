import { digestOf } from '../../../common/digest.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';
import { readLongBatch } from './batch-reader.js';
import { digestInSlices } from './sliced-digests.js';

/** Texts that take much longer than a slice to digest. */
const LONG_LIST = `"history":[${Array.from({ length: 8_000 }, () => `"${'x'.repeat(4000)}"`).join(',')}]`;
const LONG_DATA = `"state":"é😀${'x'.repeat(64_000_000)}"`;

async function eventWith(field: string): Promise<ReportedEvent> {
  const text = `{"events":[{"type":"checkpoint","data":{"thread_id":"t",${field}}}]}`;
  const [reading] = await readLongBatch(Buffer.from(text), { maxEvents: 1, known: () => null });
  if (!reading || !('event' in reading)) throw new Error('no event');
  return reading.event;
}

describe.each([
  ['a long history', LONG_LIST],
  ['long data', LONG_DATA],
])('Digests of %s', (_, field) => {
  it('let others have their turn while they are worked out', async () => {
    const event = await eventWith(field);
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await digestInSlices([event]);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  it('are the ones that would have been worked out at once', async () => {
    const [sliced, plain] = [await eventWith(field), await eventWith(field)];
    await digestInSlices([sliced]);
    expect(sliced.history.digestOfAll(true)).toBe(plain.history.digestOfAll(true));
    expect(sliced.dataText.digest()).toBe(digestOf(plain.dataText.toString()));
  });
});
