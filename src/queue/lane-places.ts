import type { SqlRow } from '../database/database.js';
import type { Lane } from './leases.repository.js';

/** Lanes that one instance works on at once, without those that call somebody slow. */
const PLACES = 128;
/** The same for lanes that call somebody slow: together, and for each who is slow. Lanes taken before that was known may exceed it. */
const SLOW_PLACES = 256;
const PLACES_OF_EACH = 32;

/** How many more lanes an instance may take. */
export class LanePlaces<Row extends SqlRow> {
  constructor(private readonly calledFor: (lane: Lane<Row>) => string) {}

  freeOf(active: Iterable<Lane<Row>>, slow: ReadonlySet<string>): number {
    let taken = 0;
    for (const lane of active) if (!slow.has(this.calledFor(lane))) taken += 1;
    return PLACES - taken;
  }

  /** How many more of those that call `called`, who is slow. */
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

/** Begins at another item each time, so that none is always the last. */
export function inAnyOrder<T>(items: readonly T[]): T[] {
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}
