import type { SqlRow } from '../database/database.js';
import type { Lane } from './leases.repository.js';

/** Lanes that are worked on at once by one instance, but those of whom somebody slow is called for. */
const PLACES = 128;
/** The same for lanes of slow ones, and of each of them. What was begun before somebody turned out to be slow may exceed it. */
const SLOW_PLACES = 256;
const PLACES_OF_EACH = 32;

/** How many more lanes may be worked on. */
export class LanePlaces<Row extends SqlRow> {
  constructor(private readonly calledFor: (lane: Lane<Row>) => string) {}

  freeOf(active: Iterable<Lane<Row>>, slow: ReadonlySet<string>): number {
    let taken = 0;
    for (const lane of active) if (!slow.has(this.calledFor(lane))) taken += 1;
    return PLACES - taken;
  }

  /** Of one of the slow ones. */
  freeOfSlow(active: Iterable<Lane<Row>>, slow: ReadonlySet<string>, called: string): number {
    let [taken, takenByIt] = [0, 0];
    for (const lane of active) {
      const other = this.calledFor(lane);
      if (slow.has(other)) taken += 1;
      if (other === called) takenByIt += 1;
    }
    return Math.min(SLOW_PLACES - taken, PLACES_OF_EACH - takenByIt);
  }
}

/** Begun somewhere else each time, so that nobody is always the last. */
export function inAnyOrder<T>(items: readonly T[]): T[] {
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}
