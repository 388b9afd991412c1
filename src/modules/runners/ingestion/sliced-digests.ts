import type { TextList } from '../../../common/text-list.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';

/** Elements between two checks of the clock. */
const STRIDE = 64;

/** Computes the digests of long events before the journal needs them under its locks, and lets other requests run in between. */
export async function digestInSlices(events: Iterable<ReportedEvent>): Promise<void> {
  const slices = new TimeSlices();
  for (const event of events) {
    // What stands behind a base is only known under the locks.
    const digest = event.base ? digestElement : digestBeginning;
    await digestList(event.history, digest, slices);
    await digestList(event.historyMeta, digest, slices);
    await event.dataText.digestInSlices(slices);
  }
}

type Digest = (list: TextList, index: number) => void;

const digestElement: Digest = (list, index) => void list.digest(index);
const digestBeginning: Digest = (list, index) => void list.digestOfFirst(index + 1);

async function digestList(list: TextList, digest: Digest, slices: TimeSlices): Promise<void> {
  for (let i = 0; i < list.count; i++) {
    digest(list, i);
    if (i % STRIDE === 0) await slices.pauseIfDue();
  }
}
