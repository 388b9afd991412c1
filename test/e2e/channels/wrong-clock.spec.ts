import path from 'node:path';
import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, siblingHome, withPostgres, type TestStorage } from '../../support/storage.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;
const AHEAD = path.resolve(import.meta.dirname, '../../support/clock-ahead.mjs');
const DAY_MS = 86_400_000;
/** A poller that was killed holds its bot for 9 seconds then. */
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

/** Two servers on one database, of which one has a clock that is so far ahead. */
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
  beforeAll(() => begin(aheadMs), 180_000);
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
  }, 180_000);

  it('holds its leases no longer than others do, and dies as they do', async () => {
    // Since both are there, and each has looked at what the other holds.
    world.telegram.write(ADA, 'two');
    await answered('two');
    world.agent.api = right.api;
    await wrong.kill();
    world.telegram.write(ADA, 'three');
    await answered('three');
    expect(world.sentTo(ADA)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(world.agent.runs).toHaveLength(3);
  }, 180_000);
});
