import type { TextList } from '../../../common/text-list.js';
import { TimeSlices } from '../../../common/time-slices.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';

/** Elements between two checks of the clock. */
const STRIDE = 64;

/** Computes the digests of long events before the journal needs them under its locks, and yields to other requests. */
export async function digestInSlices(events: Iterable<ReportedEvent>): Promise<void> {
  const slices = new TimeSlices();
  for (const event of events) {
    // The whole lists of an event with a base are only known under the locks.
    await sliced(event.base ? digestsOf(event.history) : event.history.digesting(true), slices);
    if (!event.base) await sliced(event.historyMeta.digesting(false), slices);
    await event.dataText.digestInSlices(slices);
  }
}

function* digestsOf(list: TextList): Generator<void> {
  for (let i = 0; i < list.count; i++) {
    list.digest(i);
    yield;
  }
}

async function sliced(steps: Generator<void>, slices: TimeSlices): Promise<void> {
  let left = STRIDE;
  for (const _ of steps) {
    left -= 1;
    if (left > 0) continue;
    left = STRIDE;
    await slices.pauseIfDue();
  }
}
