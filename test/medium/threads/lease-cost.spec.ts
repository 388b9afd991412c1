import { checkpoint, completed, newThreadId, started } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { journalStatements } from '../../support/journal-statements.js';
import { fenced, leased, outcomesOf } from '../../support/leases.js';
import { record } from '../../support/recording.js';

let server: InProcessApp;
let statementsOf: ReturnType<typeof journalStatements>;

beforeAll(async () => {
  server = await startApp();
  statementsOf = journalStatements(server);
});
afterAll(() => server.stop());

describe('A report', () => {
  it('costs nothing for leases in a thread that has none', async () => {
    const threadId = newThreadId();
    const { asked, written } = await statementsOf(async () => {
      await record(server.api, started(threadId), checkpoint(threadId, 0));
      await record(server.api, checkpoint(threadId, 1), checkpoint(threadId, 1, { tokens_used: 5 }));
      await record(server.api, checkpoint(threadId, 0, { trace_id: 'sub', parent_trace_id: 'run-1' }));
      await record(server.api, completed(threadId));
    });
    expect(written.length).toBeGreaterThan(3);
    expect([...asked, ...written].filter((sql) => /lease|fence/.test(sql))).toEqual([]);
  });

  it('of a leased run finds its lease in memory', async () => {
    const threadId = newThreadId();
    const fence = await leased(server.api, threadId, 'one');
    await record(server.api, fenced(started(threadId), fence), fenced(checkpoint(threadId, 0), fence));
    const { asked, written } = await statementsOf(async () => {
      for (let step = 1; step < 6; step++) await record(server.api, fenced(checkpoint(threadId, step), fence));
      expect(await outcomesOf(server.api, checkpoint(threadId, 9))).toEqual(['stale_fence']);
    });
    expect([...asked, ...written].filter((sql) => /lease|fence/.test(sql))).toEqual([]);
  });
});
