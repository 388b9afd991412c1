import { statSync } from 'node:fs';
import { checkpoint, completed, conversation, started } from '../factories/events.js';
import { newRun, waiting } from '../factories/waiting.js';
import { decided } from '../support/approvals.js';
import { claimed, settled } from '../support/effects.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { makeKnown } from '../support/known-threads.js';
import { MovableClock } from '../support/movable-clock.js';
import { problemOf } from '../support/problem.js';
import { latestOf, latestPath, record, threadPath } from '../support/recording.js';
import { checkpointWal } from '../support/sqlite-file.js';
import { digestOf, putState, putWrites, stateIds, stateOf, valuesOf, writesOf } from '../support/states.js';
import { waitFor } from '../support/wait.js';

const DAY_MS = 86_400_000;

describe('Retention', () => {
  const clock = new MovableClock();
  let server: InProcessApp;

  beforeAll(async () => {
    const env = { WAYSTATION_RETENTION_DAYS: '30', WAYSTATION_RETENTION_INTERVAL_SECONDS: '1' };
    server = await startApp({ env, clock });
  });
  afterAll(() => server.stop());

  it('deletes threads that did not change for longer than the limit, and none that waits for a person', async () => {
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };
    await record(server.api, started('ended'), checkpoint('ended', 0), completed('ended'));
    await record(server.api, checkpoint('open', 0));
    await record(server.api, checkpoint('idle', 0), { type: 'thread_idle', data: { thread_id: 'idle' } });
    const [decidedRun, waitingRun] = [newRun(), newRun()];
    await record(server.api, waiting(decidedRun, 1), waiting(waitingRun, 1));
    await decided(server.api, 'approve', decidedRun, 1);
    await record(server.api, checkpoint('asking', 0, { status: 'waiting_for_approval' }));
    const values = valuesOf({ a: 'kept' });
    for (const id of ['c1', 'c2']) await putState(server.api, 'ended', id, { values });
    await putWrites(server.api, 'ended', 'c2', writesOf('t', [0, 'a', 1]));
    await record(server.api, checkpoint('half', 0), checkpoint('half', 0, child), completed('half'));
    for (const threadId of ['doubtful', 'done']) {
      await record(server.api, checkpoint(threadId, 0), completed(threadId));
      await claimed(server.api, threadId);
    }
    await settled(server.api, 'done', { outcome: 'completed' });
    clock.aheadMs = 20 * DAY_MS;
    await record(server.api, checkpoint('younger', 0), completed('younger'));
    clock.aheadMs = 31 * DAY_MS;
    await waitFor('the old thread to go', async () => (await server.api.get(latestPath('ended'))).status === 404);
    for (const threadId of ['open', 'half', 'idle', 'done', decidedRun.threadId]) {
      await waitFor(`${threadId} to go`, async () => (await server.api.get(latestPath(threadId))).status === 404);
    }
    for (const threadId of ['younger', waitingRun.threadId, 'asking', 'doubtful']) {
      expect((await latestOf(server.api, threadId)).thread_id).toBe(threadId);
    }
    expect(await stateIds(server.api, { thread_id: 'ended' })).toEqual([]);
    // None of their values or writes remain for later states.
    const named = { a: { version: 1, type: 'json', digest: digestOf('"kept"') } };
    problemOf(await putState(server.api, 'ended', 'c2', { values: named }), 409);
    await putState(server.api, 'ended', 'c2');
    expect((await stateOf(server.api, 'ended')).writes).toEqual([]);
  });

  it('deletes threads that nothing was ever reported to', async () => {
    const isThere = async (threadId: string) =>
      (await server.api.get(`/v1${threadPath(threadId, '/export')}`)).status === 200;
    await makeKnown(server.app, 'claimed', 'claimed again');
    clock.aheadMs += 20 * DAY_MS;
    await makeKnown(server.app, 'claimed again');
    expect(await isThere('claimed')).toBe(true);
    clock.aheadMs += 11 * DAY_MS;
    await waitFor('the one to go', async () => !(await isThere('claimed')));
    expect(await isThere('claimed again')).toBe(true);
  });

  it('gives the disk space back', async () => {
    if (server.storage.dialect !== 'sqlite') return;
    const bulk = (n: number) => conversation(40, ` ${n} ${'x'.repeat(2000)}`);
    for (let n = 0; n < 60; n++) {
      await record(server.api, checkpoint(`bulk-${n}`, 0, { history: bulk(n) }), completed(`bulk-${n}`));
    }
    const size = async () => {
      await checkpointWal(server.storage.sqlitePath);
      return statSync(server.storage.sqlitePath).size;
    };
    const full = await size();
    clock.aheadMs += 62 * DAY_MS;
    await waitFor('the last thread to go', async () => (await server.api.get(latestPath('bulk-59'))).status === 404);
    await waitFor('the file to shrink', async () => (await size()) < full / 2);
    problemOf(await server.api.get(latestPath('bulk-0')), 404);
  });
});

describe('Retention, when the clock is set forward', () => {
  const INTERVAL_MS = 2_000;
  const clock = new MovableClock();
  let server: InProcessApp;

  beforeAll(async () => {
    const env = {
      WAYSTATION_RETENTION_DAYS: '30',
      WAYSTATION_RETENTION_INTERVAL_SECONDS: String(INTERVAL_MS / 1000),
    };
    server = await startApp({ env, clock });
  });
  afterAll(() => server.stop());

  it('deletes nothing before the clock has gone as fast as time for an interval', async () => {
    const goneAfterMs: number[] = [];
    for (const threadId of ['one', 'other']) {
      await record(server.api, checkpoint(threadId, 0), completed(threadId));
      clock.aheadMs += 31 * DAY_MS;
      const setAtMs = performance.now();
      await waitFor(`${threadId} to go`, async () => (await server.api.get(latestPath(threadId))).status === 404);
      goneAfterMs.push(performance.now() - setAtMs);
    }
    // Timers may fire a little early.
    expect(Math.min(...goneAfterMs)).toBeGreaterThan(INTERVAL_MS - 50);
  });
});
