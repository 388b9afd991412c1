import { testDialect } from '../../support/dialect.js';
import { racesOf, type Race } from '../../support/races/race.js';
import { RaceTrack } from '../../support/races/race-track.js';

/** Number of groups to race; the soak sets more. */
const GROUPS = Number(process.env.WAYSTATION_TEST_RACES ?? 60);
/** `WAYSTATION_TEST_SEED` sets another seed; a failure prints the seed. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_126);
/** Races before the servers restart with an empty storage, so that lists of all threads stay short. */
const RACES_A_LAP = 400;
/** Mostly the starts of a server for each order, on a machine shared with other tests. */
const LIMIT_MS = 900_000 + 4_000 * GROUPS;
/** As many as people read; where one differs, many do. */
const SHOWN = 20;
/** On a busy machine a database may answer too late: such a race has no outcome to compare. */
const UNANSWERED = /503 \{"type":"urn:waystation:problem:storage_unavailable"/;
const MOST_UNANSWERED = 0.1;

/** Outcomes that differ from every one-by-one order. */
async function differencesOf(races: readonly Race[], servers: number): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < races.length; from += RACES_A_LAP) {
    const track = await RaceTrack.open(servers);
    try {
      found.push(...(await track.race(races.slice(from, from + RACES_A_LAP))), ...(await track.end()));
    } finally {
      await track.close();
    }
    const raced = Math.min(races.length, from + RACES_A_LAP);
    console.info(`${servers} servers: groups raced ${raced}, differences ${found.length}`);
  }
  return found;
}

async function expectNoDifferences(servers: number, most: number): Promise<void> {
  const all = await differencesOf(racesOf(GROUPS, seed, most), servers);
  const found = all.filter((difference) => !UNANSWERED.test(difference));
  expect(all.length - found.length).toBeLessThanOrEqual(MOST_UNANSWERED * GROUPS);
  expect({ seed, count: found.length, found: found.slice(0, SHOWN) }).toEqual({ seed, count: 0, found: [] });
}

describe('Requests that share a commit group', () => {
  it(
    'come out as one by one: from memory, to subscribers, on another server and after a restart',
    () => expectNoDifferences(1, 4),
    LIMIT_MS,
  );
});

const onPostgres = testDialect() === 'postgres' ? describe : describe.skip;
onPostgres('Requests that two servers get at once', () => {
  it(
    'come out as one by one: from the memory of both, to subscribers of both and after a restart',
    () => expectNoDifferences(2, 2),
    LIMIT_MS,
  );
});
