import { checkpoint, completed, newThreadId, started } from '../factories/events.js';
import type { ApiClient } from '../support/api-client.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { migrateAgain } from '../support/migrate-again.js';
import { problemOf } from '../support/problem.js';
import { detailOf, latestOf, latestPath, record } from '../support/recording.js';
import { freshStorage, type TestStorage } from '../support/storage.js';

let storage: TestStorage;
let running: InProcessApp;

beforeEach(async () => {
  storage = await freshStorage();
  running = await startApp({ storage });
});
afterEach(async () => {
  await running.stop();
  await storage.dispose();
});

async function migrateBackAndForth(): Promise<void> {
  await running.stop();
  await migrateAgain(storage, 'BindingsOfRuns');
  running = await startApp({ storage });
}

async function bound(agentId: string): Promise<ApiClient> {
  const made = await running.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agentId] });
  return running.api.as(made.json<{ token: string }>().token);
}

describe('Runs that were stored before it was kept who reported them', () => {
  it('count as reported by a token that may speak for all, and are seen by their agents', async () => {
    const threadId = newThreadId();
    const sub = { trace_id: 'sub', agent_id: 'search', parent_trace_id: 'run-1' };
    await record(running.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 0, sub));
    await record(running.api, checkpoint(threadId, 0, { trace_id: 'old', agent_id: 'support' }));
    await record(running.api, completed(threadId, { trace_id: 'old' }), checkpoint(threadId, 1));
    const before = await detailOf(running.api, threadId);
    await migrateBackAndForth();
    // Reverting and repeating the migrations loses what they had stored.
    expect(await detailOf(running.api, threadId)).toEqual({ ...before, last_message: null });
    const [support, search, other] = [await bound('support'), await bound('search'), await bound('other')];
    expect(await latestOf(support, threadId)).toMatchObject({ trace_id: 'run-1', step_index: 1 });
    expect(await latestOf(support, threadId, { agent_id: 'search' })).toMatchObject({ trace_id: 'sub' });
    expect(await latestOf(search, threadId)).toMatchObject({ trace_id: 'sub' });
    problemOf(await search.get(latestPath(threadId, { trace_id: 'run-1' })), 404);
    problemOf(await other.get(latestPath(threadId)), 404);
    await record(other, checkpoint(threadId, 0, { trace_id: 'x', agent_id: 'other' }));
    expect(await latestOf(running.api, threadId)).toMatchObject({ trace_id: 'run-1' });
    await record(support, checkpoint(threadId, 2));
    expect(await latestOf(running.api, threadId)).toMatchObject({ trace_id: 'run-1', step_index: 2 });
  });
});
