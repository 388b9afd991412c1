import type { TextList } from '../../../common/text-list.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';

/** Elements between two checks of the clock. */
const STRIDE = 64;

/** Computes the digests of long events before the journal needs them under its locks, and lets other requests run in between. */
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
