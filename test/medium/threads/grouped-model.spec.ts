import fc from 'fast-check';
import { newThreadId } from '../../factories/events.js';
import { scenarios, type Scenario } from '../../factories/scenarios.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { cancel } from '../../support/cancel.js';
import { inOneGroup } from '../../support/held-writer.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { compareLatest, compareThread } from '../../support/model/compare.js';
import { eventText } from '../../support/model/model-event.js';
import { ThreadModel } from '../../support/model/thread-model.js';
import { EVENTS } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { migratedStorage, type TestStorage } from '../../support/storage.js';

const SEARCH_MS = searchMs(3);
/** `WAYSTATION_TEST_SEED` sets another seed; a failure prints the seed. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_126);

let storage: TestStorage;
let server: InProcessApp;
/** A second server, on PostgreSQL only, which reads what the other stored. */
let second: InProcessApp | null = null;
beforeAll(async () => {
  storage = await migratedStorage();
  server = await startApp({ storage });
  if (storage.dialect === 'postgres') second = await startApp({ storage });
});
afterAll(async () => {
  await second?.stop();
  await server.stop();
  await storage.dispose();
});

let played = 0;
let groups = 0;
const stories: { threadId: string; model: ThreadModel }[] = [];

/** A scenario; the number of requests in each group; and after how many batches somebody cancels the run with which trace. */
type Play = [Scenario, number[], [number, string][]];

const plays: fc.Arbitrary<Play> = fc.tuple(
  scenarios,
  fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 1, maxLength: 4 }),
  fc.array(fc.tuple(fc.nat(8), fc.constantFrom('t1', 't2', 's1', 's2')), { maxLength: 3 }),
);

/** The requests in the order in which they reach the journal, each with the model's expected response. */
function requestsOf(threadId: string, model: ThreadModel, [{ batches }, , cancelled]: Play) {
  return batches.flatMap((batch, index) => {
    const post = () => {
      const events = model.post(batch);
      const texts = events.map((event) => eventText(event).replace('"thread_id":""', `"thread_id":"${threadId}"`));
      const send = () => server.api.post(EVENTS, `{"events":[${texts.join(',')}]}`);
      return { send, status: 200, saved: events.length };
    };
    const cancels = cancelled
      .filter(([after]) => after === index)
      .map(([, trace]) => () => {
        return { send: () => cancel(server.api, threadId, trace), status: model.cancel(trace), saved: null };
      });
    return [post, ...cancels];
  });
}

/** The model applies the requests one by one, in the order in which they wait for the writer; the server applies each group at once. */
async function play(story: Play): Promise<void> {
  const threadId = newThreadId('grouped');
  const model = new ThreadModel();
  const waiting = requestsOf(threadId, model, story);
  const sizes = story[1];
  for (let at = 0; waiting.length > 0; at += 1) {
    const group = waiting.splice(0, sizes[at % sizes.length]).map((plan) => plan());
    const answers = await inOneGroup(server, ...group.map(({ send }) => send));
    for (const [index, answer] of answers.entries()) check(answer, group[index]!);
    for (const api of readers()) await compareLatest(api, threadId, model);
    groups += 1;
  }
  for (const api of readers()) await compareThread(api, threadId, model);
  stories.push({ threadId, model });
  played += 1;
}

function check(answer: Answer, { status, saved }: { status: number; saved: number | null }): void {
  expect(answer.status).toBe(status);
  if (saved !== null) expect(answer.json()).toMatchObject({ saved, rejected: [] });
}

function readers(): ApiClient[] {
  return second === null ? [server.api] : [server.api, second.api];
}

describe('Whatever arrives at once', () => {
  it(
    'comes out as the contract says of its order, and the same after a restart',
    async () => {
      await assertSearching(plays, play, { seed, ms: SEARCH_MS });
      await server.stop();
      server = await startApp({ storage });
      for (const { threadId, model } of stories) await compareThread(server.api, threadId, model);
      console.info(`${played} sequences in ${groups} groups`);
    },
    SEARCH_MS + 100_000,
  );
});
