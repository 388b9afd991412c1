import type { Client } from 'pg';
import { withPostgres, type TestStorage } from './storage.js';
import { waitFor } from './wait.js';

/** Another session keeps rows locked while `work` runs; on SQLite, which has no row locks, only runs it. */
export function withLocked({ databaseUrl }: TestStorage, rows: string, work: () => Promise<void>): Promise<void> {
  if (databaseUrl === null) return work();
  return withPostgres(databaseUrl, async (client) => {
    await client.query(`BEGIN; SELECT 1 FROM ${rows} FOR UPDATE`);
    await work(); // the end of the connection ends the transaction
  });
}

/** Resolves once some session of the client's database waits for a row lock. */
export async function someLockWait(client: Client): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await waitFor('a session to wait for a lock', async () => (await client.query(sql)).rows.length > 0);
}
