import { setImmediate } from 'node:timers/promises';
import type { TextList } from '../../../common/text-list.js';

/** Milliseconds for which other requests are held up at a time. */
const SLICE_MS = 20;
/** Elements between two looks at the clock. */
const STRIDE = 64;

/** Works out the digests of long lists before the journal asks for them under its locks, and lets other requests have their turn meanwhile. */
export async function digestCalmly(lists: Iterable<TextList>): Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  for (const list of lists) {
    for (let i = 0; i < list.count; i++) {
      list.digest(i);
      if (i % STRIDE !== 0 || performance.now() < sliceEndMs) continue;
      await setImmediate();
      sliceEndMs = performance.now() + SLICE_MS;
    }
  }
}
