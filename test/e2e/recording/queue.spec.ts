import { checkpoint, newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, EVENTS } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { WAYSTATION_QUEUE_MAX_REQUESTS: '2' } });

describe('A full queue', () => {
  it('answers 503 with Retry-After, and stores exactly what it acknowledged', async () => {
    const threadId = newThreadId();
    const posts = Array.from({ length: 60 }, async (_, step) => {
      const answer = await server.api.post(EVENTS, { events: [checkpoint(threadId, step)] });
      return { step, answer };
    });
    const answers = await Promise.all(posts);
    const refused = answers.filter(({ answer }) => answer.status !== 200);
    for (const { answer } of refused) {
      problemOf(answer, 503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect(refused.length).toBeGreaterThan(0);
    const acknowledged = answers.filter(({ answer }) => answer.status === 200).map(({ step }) => step);
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual(acknowledged);
  });
});
