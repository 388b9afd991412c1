import fc from 'fast-check';
import { ROUTES } from './routes.js';

/** Requests for one thread, by their routes' names. */
export interface Race {
  /** Whether the thread already has a story: see `prepare`. */
  isKnown: boolean;
  /** One by one, before the race. */
  before: readonly string[];
  /** In one commit group. */
  together: readonly string[];
  /** One by one afterwards: they find what the race has left in memory. */
  after: readonly string[];
}

/** The server refuses more simultaneous imports. */
const MAX_IMPORTS = 2;

const NAMES = Object.keys(ROUTES);
const route = fc.constantFrom(...NAMES);

/** Every pair of routes on unknown and on known threads. */
const PAIRS: readonly Race[] = [false, true].flatMap((isKnown) =>
  NAMES.flatMap((first) => NAMES.map((second) => ({ isKnown, before: [], together: [first, second], after: [] }))),
);

const anyRace = (most: number): fc.Arbitrary<Race> =>
  fc
    .record({
      isKnown: fc.boolean(),
      before: fc.array(route, { maxLength: 3 }),
      together: fc.array(route, { minLength: 2, maxLength: most }),
      after: fc.array(route, { maxLength: 2 }),
    })
    .filter((race) => importsOf(race) <= MAX_IMPORTS);

/**
 * Half of them plain pairs, all different as long as there are others; the rest any races.
 * @param most requests of a group
 */
export function racesOf(count: number, seed: number, most: number): Race[] {
  const half = Math.min(PAIRS.length, Math.ceil(count / 2));
  const [pairs = []] = fc.sample(fc.shuffledSubarray([...PAIRS], { minLength: half, maxLength: half }), {
    seed,
    numRuns: 1,
  });
  return [...pairs, ...fc.sample(anyRace(most), { seed, numRuns: count - half })];
}

export function importsOf({ together }: Race): number {
  return together.filter((name) => name === 'imports the thread').length;
}

export function titleOf({ isKnown, before, together, after }: Race): string {
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  const earlier = before.length > 0 ? ` after ${list(before)}` : '';
  const later = after.length > 0 ? `, then ${list(after)}` : '';
  return `${isKnown ? 'known' : 'fresh'} thread${earlier}: ${list(together)} at once${later}`;
}

/** All permutations; the original order comes first. */
export function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first, at) => ordersOf(all.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}
