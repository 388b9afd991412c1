import { checkpoint, newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { latestPath, record, threadPath } from '../../support/recording.js';
import { statePath } from '../../support/states.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer({ env: { WAYSTATION_LOG_LEVEL: 'info' } });

describe("The log's lines about requests", () => {
  it('leave out what agents ask before there is anything, and tell of other unknown things', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['support'] });
    const bound = server.api.as(made.json<{ token: string }>().token);
    const [unknown, known] = [newThreadId(), newThreadId()];
    await record(server.api, checkpoint(known, 0, { agent_id: 'other' }));
    for (const api of [server.api, bound]) {
      for (const threadId of [unknown, known]) {
        problemOf(await api.get(latestPath(threadId, { agent_id: 'support' })), 404);
        problemOf(await api.get(latestPath(threadId, { trace_id: 'none', resume: 'safe' })), 404);
        problemOf(await api.get(statePath(threadId)), 404);
      }
    }
    problemOf(await server.api.get(threadPath(unknown)), 404);
    await waitFor('its line', () =>
      Promise.resolve(server.process.printed.includes(`"path":"${threadPath(unknown)}"`)),
    );
    expect(server.process.printed).not.toMatch(/"path":"[^"]*\/(latest|state)"/);
    bound.close();
  });
});
