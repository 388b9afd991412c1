import { withPostgres, type TestStorage } from './storage.js';

/** Another session keeps rows locked as long as `work` runs; SQLite has none. */
export function withLocked({ databaseUrl }: TestStorage, rows: string, work: () => Promise<void>): Promise<void> {
  if (databaseUrl === null) return work();
  return withPostgres(databaseUrl, async (client) => {
    await client.query(`BEGIN; SELECT 1 FROM ${rows} FOR UPDATE`);
    await work(); // the end of the connection ends the transaction
  });
}
