import path from 'node:path';
import { checkpoint, completed, newThreadId } from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalOf } from '../../support/approvals.js';
import { claimed } from '../../support/effects.js';
import { claim, fenced, leased, outcomesOf } from '../../support/leases.js';
import { ok, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, siblingHome, withPostgres, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const AHEAD = path.resolve(import.meta.dirname, '../../support/clock-ahead.mjs');
const DAY_MS = 86_400_000;
/** A killed poller then holds its bot for 9 seconds. */
const SHORT_LEASE = { WAYSTATION_LEASE_SECONDS: '2', WAYSTATION_PLATFORM_TIMEOUT_MS: '3000' };
const LIMIT_MS = 60_000;

let world: TelegramWorld;
let storage: TestStorage;
let right: ServerProcess;
let wrong: ServerProcess;

async function end(): Promise<void> {
  await wrong?.kill();
  await right?.stop();
  await world?.close();
  await storage?.dispose();
}

/** Two servers on one database; one has a clock this far ahead. */
async function begin(aheadMs: number): Promise<void> {
  world = await TelegramWorld.start();
  storage = await freshStorage();
  const env = { ...world.env, ...SHORT_LEASE };
  const clock = { NODE_OPTIONS: `--import=${AHEAD}`, WAYSTATION_TEST_AHEAD_MS: String(aheadMs) };
  wrong = await ServerProcess.start(storage, { env: { ...env, ...clock } });
  await world.connect(wrong.api, { transport: 'polling' });
  world.telegram.write(ADA, 'one');
  await answered('one');
  right = await ServerProcess.start(storage, { env: { ...env, WAYSTATION_HOME: await siblingHome(storage) } });
}

const answered = (text: string) =>
  waitFor(`the answer to ${text}`, () => world.sentTo(ADA).includes(`You said: ${text}`), LIMIT_MS);

async function query<T extends object>(sql: string): Promise<T[]> {
  return withPostgres(storage.databaseUrl!, async (client) => (await client.query<T>(sql)).rows);
}

describe.each([
  ['ahead', DAY_MS],
  ['behind', -DAY_MS],
])('A server whose clock is %s by a day', (_, aheadMs) => {
  beforeAll(() => begin(aheadMs));
  afterAll(end);

  it('goes by the clock of the database in what others judge it by', async () => {
    expect(wrong.printed).toMatch(/"seconds_ahead":-?86\d{3}/);
    const run = newRun();
    const beforeMs = Date.now();
    await record(wrong.api, waiting(run, 1, { approval_timeout_seconds: 3 }));
    const { created_at, expires_at } = await approvalOf(right.api, run, 1);
    expect(Math.abs(Date.parse(created_at) - beforeMs)).toBeLessThan(60_000);
    expect(Date.parse(expires_at!) - Date.parse(created_at)).toBe(3000);
    await waitFor('it to expire', async () => (await approvalOf(right.api, run, 1)).status === 'expired');
    const seen = await query<{ pid: number; age: number }>(
      'SELECT pid, EXTRACT(EPOCH FROM clock_timestamp()) - last_seen / 1000 AS age FROM instance',
    );
    expect(seen.map(({ pid }) => pid).sort()).toEqual([wrong.pid, right.pid].sort());
    for (const { age } of seen) expect(Math.abs(Number(age))).toBeLessThan(60);
  });

  it('writes no time of its own into any table', async () => {
    await writeAllKinds(wrong.api);
    const times = await storedTimes();
    expect(times.length).toBeGreaterThan(30);
    const apartMs = DAY_MS / 2;
    expect(times.filter(({ least, most }) => least < -apartMs || most > apartMs)).toEqual([]);
  });

  it('holds its leases no longer than others do, and dies as they do', async () => {
    // From here on both are running, and each has looked at what the other holds.
    world.telegram.write(ADA, 'two');
    await answered('two');
    world.agent.api = right.api;
    const threadId = newThreadId();
    const fence = await leased(wrong.api, threadId, 'one', { ttl_seconds: 5 });
    const run = newRun();
    await record(wrong.api, waiting(run, 1, { approval_timeout_seconds: 3 }));
    await wrong.kill();
    world.telegram.write(ADA, 'three');
    await answered('three');
    expect(world.sentTo(ADA)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(world.agent.runs).toHaveLength(3);
    await waitFor('the approval to expire', async () => (await approvalOf(right.api, run, 1)).status === 'expired');
    // At most 5 seconds after the claim, and never twice with one fence.
    const heir = await waitFor('the lease to run out', async () => {
      const answer = await claim(right.api, threadId, 'two');
      return answer.status === 201 ? answer.json<{ fence: number }>() : undefined;
    });
    expect(heir.fence).toBeGreaterThan(fence);
    expect(Math.abs(heir.fence - Date.now())).toBeLessThan(60_000);
    const late = fenced(checkpoint(threadId, 0), fence);
    expect(await outcomesOf(right.api, late, fenced(checkpoint(threadId, 0), heir.fence))).toEqual([
      'stale_fence',
      'saved',
    ]);
  });
});

/** One of everything that has a time. */
async function writeAllKinds(api: ApiClient): Promise<void> {
  const [threadId, deleted] = [newThreadId(), newThreadId()];
  const fence = await leased(api, threadId, 'one', { ttl_seconds: 600 });
  await record(api, fenced(checkpoint(threadId, 0), fence), checkpoint(deleted, 0), completed(deleted));
  await claimed(api, threadId, { fence });
  await record(api, waiting(newRun(), 1, { approval_timeout_seconds: 3600 }));
  const exported = ok(await api.get(`/v1/threads/${deleted}/export`)).text;
  const headers = { 'content-type': 'application/x-ndjson' };
  expect((await api.post('/v1/threads/import?as=imported', exported, { headers })).status).toBe(201);
  await api.delete(threadPath(deleted));
  const queued_runs = [{ thread_id: threadId, trace_id: 'next', queued_at: new Date().toISOString() }];
  await record(api, { type: 'heartbeat', data: { agent_id: 'queueing', process_id: 'p1', queued_runs } });
  for (const [path, body] of [
    ['/v1/tokens', { name: 'short', scope: 'reader', expires_in_seconds: 600 }],
    ['/v1/console/codes', { scope: 'reader' }],
    [
      '/v1/channels',
      { channel_type: 'slack', name: 'New', config: { bot_token: 'xoxb-1', signing_secret: 'ab'.repeat(16) } },
    ],
  ] as const) {
    const answer = await api.post(path, body);
    expect([path, answer.status]).toEqual([path, 201]);
  }
}

interface StoredTimes {
  column: string;
  /** Milliseconds relative to now; negative for the past. */
  least: number;
  most: number;
}

/** All columns that apparently hold milliseconds since 1970. */
async function storedTimes(): Promise<StoredTimes[]> {
  const columns = await query<{ t: string; c: string }>(
    `SELECT table_name AS t, column_name AS c FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bigint' AND table_name <> 'migration'`,
  );
  const selects = columns.map(
    ({ t, c }) => `SELECT '${t}.${c}' AS "column", MIN("${c}") AS least, MAX("${c}") AS most FROM "${t}"
     WHERE "${c}" BETWEEN 1600000000000 AND 3000000000000`,
  );
  const nowMs = Date.now();
  const found = await query<Record<string, string | null>>(selects.join(' UNION ALL '));
  return found
    .filter(({ least }) => least !== null)
    .map(({ column, least, most }) => ({
      column: column!,
      least: Number(least) - nowMs,
      most: Number(most) - nowMs,
    }));
}
