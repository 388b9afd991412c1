import { Database } from '../../../src/database/database.js';
import { LeasesRepository, type Lane, type LaneTable } from '../../../src/queue/leases.repository.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { withLocked } from '../../support/locked-rows.js';

const TABLE: LaneTable = { name: 'channel_session', keys: ['thread_id'], called: 'agent_name', account: 'channel_id' };
const OWNER = 'this one:1';
const LEASE_MS = 20_000;
const PROMPT_MS = 9_000;

let server: InProcessApp;
let database: Database;

beforeAll(async () => {
  server = await startApp();
  database = server.app.get(Database);
});
afterAll(() => server?.stop());

/** A lane held for most of its lease. */
async function heldLane(threadId: string): Promise<Lane> {
  const until = Date.now() + 0.75 * LEASE_MS;
  await database.transaction((session) =>
    session.query(
      `INSERT INTO channel_session (thread_id, channel_id, agent_name, lease_owner, lease_until, work_at, created_at)
       VALUES ($1, 'any', 'support', $2, $3, $3, $3)`,
      [threadId, OWNER, until],
    ),
  );
  return { row: { thread_id: threadId }, owner: OWNER };
}

async function endOf(threadId: string): Promise<number> {
  const sql = `SELECT lease_until FROM channel_session WHERE thread_id = $1`;
  const [row] = await database.read<{ lease_until: number }>(sql, [threadId]);
  return Number(row!.lease_until);
}

describe('The leases of several lanes', () => {
  it('are renewed although another session has one of their rows locked', async () => {
    const lanes = [await heldLane('locked'), await heldLane('free')];
    // Not longer than a lease taken now: a newly started server would take it for one from before the clock was set back.
    const nowMs = Date.now();
    await withLocked(server.storage, `channel_session WHERE thread_id = 'locked'`, async () => {
      const sinceMs = performance.now();
      await server.app.get(LeasesRepository).renew(TABLE, lanes, nowMs);
      expect(performance.now() - sinceMs).toBeLessThan(PROMPT_MS);
      expect(await endOf('free')).toBe(nowMs + LEASE_MS);
    });
  });

  it('are left alone where another instance has taken the lane', async () => {
    const lane = await heldLane('taken');
    const before = await endOf('taken');
    await server.app.get(LeasesRepository).renew(TABLE, [{ ...lane, owner: 'another:1' }], before);
    expect(await endOf('taken')).toBe(before);
  });
});
