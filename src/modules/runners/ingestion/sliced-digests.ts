import type { TextList } from '../../../common/text-list.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';

/** Elements between two looks at the clock. */
const STRIDE = 64;

/** Works out the digests of long events before the journal asks for them under its locks, and lets other requests have their turn meanwhile. */
export async function digestInSlices(events: Iterable<ReportedEvent>): Promise<void> {
  const slices = new TimeSlices();
  for (const event of events) {
    await digestList(event.history, slices);
    await event.dataText.digestInSlices(slices);
  }
}

async function digestList(list: TextList, slices: TimeSlices): Promise<void> {
  for (let i = 0; i < list.count; i++) {
    list.digest(i);
    if (i % STRIDE === 0) await slices.pauseIfDue();
  }
}
