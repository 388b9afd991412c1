import type { TextList } from '../../../common/text-list.js';
import { TimeSlices } from '../../../common/time-slices.js';

/** Elements between two looks at the clock. */
const STRIDE = 64;

/** Works out the digests of long lists before the journal asks for them under its locks, and lets other requests have their turn meanwhile. */
export async function digestCalmly(lists: Iterable<TextList>): Promise<void> {
  const slices = new TimeSlices();
  for (const list of lists) {
    for (let i = 0; i < list.count; i++) {
      list.digest(i);
      if (i % STRIDE === 0) await slices.pauseIfDue();
    }
  }
}
