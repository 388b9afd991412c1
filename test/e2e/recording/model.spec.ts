import fc from 'fast-check';
import { newThreadId } from '../../factories/events.js';
import { scenarios, type Scenario } from '../../factories/scenarios.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { cancel, retry } from '../../support/cancel.js';
import type { ApiClient } from '../../support/api-client.js';
import { claim, leased, release } from '../../support/leases.js';
import { eventText } from '../../support/model/model-event.js';
import type { RunModel } from '../../support/model/run-model.js';
import { ThreadModel } from '../../support/model/thread-model.js';
import { compareLatest, compareThread } from '../../support/model/compare.js';
import { EVENTS, ok } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { ServerProcess } from '../../support/server-process.js';
import { useServer } from '../../support/test-server.js';

/** On PostgreSQL, two servers take the batches in turn and read what the other stored. */
let second: ServerProcess | null = null;
afterAll(() => second?.stop());
const server = useServer();
beforeAll(async () => {
  if (server.storage.dialect === 'postgres') second = await ServerProcess.start(server.storage);
});

/** They accept retries and report nothing. */
const agents: FakeAgent[] = [];
beforeAll(async () => {
  for (const name of ['A', 'B', 'C']) {
    const agent = await FakeAgent.start(name, () => undefined);
    agents.push(Object.assign(agent, { api: server.api }));
  }
});
afterAll(() => Promise.all(agents.map((agent) => agent.close())));

/** Threads in progress at once, so that they share commits. */
const AT_ONCE = 6;
const SEARCH_MS = searchMs(3);
/** `WAYSTATION_TEST_SEED` sets another seed; a failure prints the seed. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_121);

let played = 0;
/** The search ends before the last ones do. */
const underWay = new Set<Promise<void>>();

/**
 * A scenario; when somebody cancels; when somebody retries; and whether a lease, of a run that never begins, created the thread before its
 * first report and then comes and goes.
 */
type Play = [Scenario, [number, string][], [number, string][], boolean];

/** After how many batches of the scenario somebody cancels or retries the run with which trace. */
const orders = fc.array(fc.tuple(fc.nat(8), fc.constantFrom('t1', 't2', 's1', 's2')), { maxLength: 3 });

/** Posts the batches to a new thread and to the model, and compares both after every batch and at the end. */
async function play([{ batches }, cancelled, retried, isLeased]: Play): Promise<void> {
  const threadId = newThreadId('model');
  const model = new ThreadModel();
  let [writer, reader] = [server.api, second?.api ?? server.api];
  for (const [index, batch] of batches.entries()) {
    if (isLeased) await claimOrRelease(writer, threadId, index);
    const events = model.post(batch);
    const texts = events.map((event) => eventText(event).replace('"thread_id":""', `"thread_id":"${threadId}"`));
    const answer = await writer.post(EVENTS, `{"events":[${texts.join(',')}]}`);
    expect([answer.status, answer.json()]).toMatchObject([200, { saved: events.length, rejected: [] }]);
    for (const [after, trace] of cancelled) {
      if (after === index) expect((await cancel(writer, threadId, trace)).status).toBe(model.cancel(trace));
    }
    for (const [after, trace] of retried) {
      if (after === index) expect((await retry(writer, threadId, trace)).status).toBe(model.retry(trace));
    }
    await compareLatest(reader, threadId, model);
    [writer, reader] = [reader, writer];
  }
  await compareThread(reader, threadId, model);
  for (const run of model.runs) count(run);
  played += 1;
}

async function claimOrRelease(api: ApiClient, threadId: string, index: number): Promise<void> {
  const of = { trace_id: 'never' };
  if (index % 3 === 2)
    await release(api, threadId, await leased(api, threadId, 'other', { ...of, force: true }), 'never');
  else await claim(api, threadId, 'one', of);
}

/** The expected sums of `/v1/stats` over everything posted. */
const sums = { runs: 0, completed: 0, failed: 0, tokens: 0 };

function count({ attempts, outcomes, status }: RunModel): void {
  for (const [at, attempt] of attempts.entries()) {
    const outcome = outcomes[at] ?? status;
    sums.runs += 1;
    sums.completed += Number(outcome === 'completed');
    sums.failed += Number(outcome === 'error' || outcome === 'budget_exceeded');
    sums.tokens += attempt.ordered.at(-1)?.tokens ?? 0;
  }
}

describe('Whatever arrives in whatever order', () => {
  it(
    'comes out as the contract says',
    async () => {
      const some = fc.array(fc.tuple(scenarios, orders, orders, fc.boolean()), { minLength: 1, maxLength: AT_ONCE });
      const playAll = async (each: Play[]) => {
        for (const agent of agents) await agent.beat();
        const plays = each.map(play);
        for (const one of plays) underWay.add(one);
        await Promise.all(plays);
      };
      await assertSearching(some, playAll, { seed, ms: SEARCH_MS });
      await Promise.all(underWay);
      console.info(`${played} sequences`);
      const stats = ok(await server.api.get('/v1/stats?by=day&tz=Asia/Kathmandu')).json<{ totals: object }>();
      expect(stats.totals).toMatchObject(sums);
    },
    SEARCH_MS + 100_000,
  );
});
