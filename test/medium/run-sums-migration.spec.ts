import { checkpoint, completed, failed, newThreadId, started } from '../factories/events.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { migrateAgain } from '../support/migrate-again.js';
import { ok, record } from '../support/recording.js';
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
  await migrateAgain(storage, 'RunSums');
  running = await startApp({ storage });
}

async function sums(): Promise<unknown[]> {
  const answers = await Promise.all(['day', 'agent', 'model'].map((by) => running.api.get(`/v1/stats?by=${by}`)));
  return answers.map((answer) => ok(answer).json<unknown>());
}

describe('The sums over runs that were stored before there were any', () => {
  it('begin with all of their attempts, and go on from there', async () => {
    const [first, second] = [newThreadId(), newThreadId()];
    const turn = { turn_start_history_len: 2 };
    await record(running.api, started(first), checkpoint(first, 0), checkpoint(first, 1), completed(first));
    await record(running.api, checkpoint(first, 0, { ...turn, model: 'large', run_cost_usd: 0.3 }), failed(first));
    await record(running.api, checkpoint(second, 0, { agent_id: 'writer' }), started(second, { trace_id: 'run-2' }));
    const before = await sums();
    expect(before[0]).toMatchObject({ totals: { runs: 4, completed: 1, failed: 1 } });
    await migrateBackAndForth();
    expect(await sums()).toEqual(before);
    await record(running.api, completed(second, { agent_id: 'writer', tokens_used: 150 }));
    const [{ totals }] = before as [{ totals: Record<string, number> }];
    const [after] = await sums();
    expect(after).toMatchObject({ totals: { runs: 4, completed: 2, tokens: totals.tokens! + 50 } });
  });
});
