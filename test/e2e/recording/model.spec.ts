import fc from 'fast-check';
import { newThreadId } from '../../factories/events.js';
import { scenarios, type Scenario } from '../../factories/scenarios.js';
import { eventText } from '../../support/model/model-event.js';
import { ThreadModel } from '../../support/model/thread-model.js';
import { compareLatest, compareThread } from '../../support/model/compare.js';
import { EVENTS } from '../../support/recording.js';
import { searchMs } from '../../support/search-seconds.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

const SEARCH_MS = searchMs(10);
/** Another seed by `WAYSTATION_TEST_SEED`; a failure prints the one that was used. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_121);

/** Posts the batches to a new thread and to the model, and compares what each says after every batch and at the end. */
async function play({ batches }: Scenario): Promise<void> {
  const threadId = newThreadId('model');
  const model = new ThreadModel();
  for (const batch of batches) {
    const events = model.post(batch);
    const texts = events.map((event) => eventText(event).replace('"thread_id":""', `"thread_id":"${threadId}"`));
    const answer = await server.api.post(EVENTS, `{"events":[${texts.join(',')}]}`);
    expect([answer.status, answer.json()]).toEqual([200, { saved: events.length, rejected: [] }]);
    await compareLatest(server.api, threadId, model);
  }
  await compareThread(server.api, threadId, model);
}

describe('Whatever arrives in whatever order', () => {
  it(
    'comes out as the contract says',
    async () => {
      const limits = { numRuns: 100_000, interruptAfterTimeLimit: SEARCH_MS, markInterruptAsFailure: false };
      await fc.assert(fc.asyncProperty(scenarios, play), { ...limits, seed });
    },
    SEARCH_MS + 100_000,
  );
});
