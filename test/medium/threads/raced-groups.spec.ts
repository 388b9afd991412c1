import fc from 'fast-check';
import { checkpoint, newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { differencesOf, raceAll, RACES, type Race, type Raced } from '../../support/races/race.js';
import { readingsOf } from '../../support/races/readings.js';
import { ok, record } from '../../support/recording.js';
import { migratedStorage, type TestStorage } from '../../support/storage.js';

/** Groups to race; the soak sets more. */
const GROUPS = Number(process.env.WAYSTATION_TEST_RACES ?? 60);
/** Another seed by `WAYSTATION_TEST_SEED`; a failure prints the one that was used. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_126);
/** Races that are held together: each of the two requests of one is a job of the group. */
const AT_ONCE = 20;

let storage: TestStorage;
let server: InProcessApp;
beforeAll(async () => {
  storage = await migratedStorage();
  server = await startApp({ storage });
});
afterAll(async () => {
  await server.stop();
  await storage.dispose();
});

async function commonParts(): Promise<{ lines: string; bound: ApiClient }> {
  const source = newThreadId();
  await record(server.api, checkpoint(source, 0));
  const lines = ok(await server.api.get(`/v1/threads/${source}/export`)).text;
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['guest'] });
  return { lines, bound: server.api.as(made.json<{ token: string }>().token) };
}

function told({ race, together, orders }: Raced, names: readonly string[], where: string): string {
  const { first, second, isKnown } = race;
  const [name = ''] = names;
  const values = [together, ...orders].map((outcome) => outcome[name]?.slice(0, 300)).join(' | ');
  return `${where}, ${isKnown ? 'known' : 'fresh'} thread: "${first}" with "${second}" differs in ${names.join(', ')}: ${values}`;
}

/** The server refuses more than a few imports at once. */
function batchesOf(races: readonly Race[]): Race[][] {
  const batches: Race[][] = [];
  const isImport = ({ first, second }: Race) => [first, second].includes('imports the thread');
  for (const race of races) {
    const last = batches.at(-1);
    const isFull = !last || last.length === AT_ONCE || (isImport(race) && last.some(isImport));
    if (isFull) batches.push([race]);
    else last.push(race);
  }
  return batches;
}

/** What the other readers say otherwise than memory did. */
async function differencesElsewhere(api: ApiClient, { thread, together }: Raced): Promise<string[]> {
  const read = await readingsOf(api, { ...thread, api });
  return Object.keys(read).filter((name) => read[name] !== together[name]);
}

describe('Requests that share a commit group', () => {
  it(
    'come out as one by one, from memory, on another server and after a restart',
    async () => {
      const common = await commonParts();
      const races = fc.sample(fc.constantFrom(...RACES), { seed, numRuns: GROUPS });
      const found: string[] = [];
      for (const batch of batchesOf(races)) {
        const raced = await raceAll(server, common, batch);
        for (const one of raced) {
          const names = differencesOf(one);
          if (names.length > 0) found.push(told(one, names, 'memory'));
        }
        const other = storage.dialect === 'postgres' ? await startApp({ storage }) : null;
        if (other === null) {
          await server.stop();
          server = await startApp({ storage });
        }
        common.bound = (await commonParts()).bound;
        const where = other ? 'another server' : 'after a restart';
        for (const one of raced) {
          const names = await differencesElsewhere(other?.api ?? server.api, one);
          if (names.length > 0) found.push(told(one, names, where));
        }
        await other?.stop();
      }
      console.info(`groups raced ${races.length}, differences ${found.length}`);
      expect({ seed, found }).toEqual({ seed, found: [] });
    },
    120_000 + 2_000 * GROUPS,
  );
});
