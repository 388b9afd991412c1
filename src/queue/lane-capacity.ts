import type { SqlRow } from '../database/database.js';
import type { Lane } from './leases.repository.js';

/** Lanes that one instance works on at once, besides the separate pools. */
const PLACES = 128;
/** One account's share. An account that wants more is crowded and uses none of these places. */
const SHARE = 16;
/** Pool for all crowded accounts, in equal parts. */
const CROWDED_PLACES = 128;
/** Pool for lanes that call somebody slow: in total, and per callee. Lanes taken before the slowness was known may exceed it. */
const SLOW_PLACES = 256;
const PLACES_OF_EACH = 32;

export interface LaneOwners<Row extends SqlRow> {
  calledFor(lane: Lane<Row>): string;
  accountOf(lane: Lane<Row>): string;
}

/** How many more lanes an instance may take. */
export class LaneCapacity<Row extends SqlRow> {
  constructor(
    private readonly owners: LaneOwners<Row>,
    private readonly active: ReadonlyMap<Lane<Row>, unknown>,
  ) {}

  free(slow: ReadonlySet<string>, crowded: ReadonlySet<string>): number {
    return PLACES - this.count((lane) => !this.isSlow(lane, slow) && !crowded.has(this.owners.accountOf(lane)));
  }

  /** Adds the accounts that have or want too many lanes. @param due the accounts of claimable lanes @returns whether there were any */
  noteCrowded(crowded: Set<string>, slow: ReadonlySet<string>, due: readonly string[]): boolean {
    const held = [...this.active.keys()].filter((lane) => !this.isSlow(lane, slow));
    const counts = new Map<string, number>();
    for (const account of [...held.map((lane) => this.owners.accountOf(lane)), ...due])
      counts.set(account, (counts.get(account) ?? 0) + 1);
    const before = crowded.size;
    for (const [account, count] of counts) if (count > SHARE) crowded.add(account);
    return crowded.size > before;
  }

  /** How many more lanes of the crowded `account` may be taken. */
  freeOfCrowded(slow: ReadonlySet<string>, crowded: ReadonlySet<string>, account: string): number {
    const taken = this.count((lane) => !this.isSlow(lane, slow) && crowded.has(this.owners.accountOf(lane)));
    const takenByIt = this.count((lane) => !this.isSlow(lane, slow) && this.owners.accountOf(lane) === account);
    // At least its share, which it had before it was crowded.
    const part = Math.max(SHARE, Math.floor(CROWDED_PLACES / crowded.size));
    return Math.min(CROWDED_PLACES - taken, part - takenByIt);
  }

  /** How many more lanes that call the slow `called` may be taken. */
  freeOfSlow(slow: ReadonlySet<string>, called: string): number {
    const taken = this.count((lane) => this.isSlow(lane, slow));
    const takenByIt = this.count((lane) => this.owners.calledFor(lane) === called);
    return Math.min(SLOW_PLACES - taken, PLACES_OF_EACH - takenByIt);
  }

  private isSlow(lane: Lane<Row>, slow: ReadonlySet<string>): boolean {
    return slow.has(this.owners.calledFor(lane));
  }

  private count(isMeant: (lane: Lane<Row>) => boolean): number {
    let count = 0;
    for (const lane of this.active.keys()) if (isMeant(lane)) count += 1;
    return count;
  }
}

/** Starts at a different item each time, so that none is always last. */
export function shuffled<T>(items: readonly T[]): T[] {
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}
