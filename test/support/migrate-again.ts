import { migrateDown, migrateUp } from '../../src/database/migrator.js';
import type { TestStorage } from './storage.js';

/** Reverts all migrations down to the one whose name begins with `begin`, and runs them again. No server may be running. */
export async function migrateAgain({ databaseUrl, sqlitePath }: TestStorage, begin: string): Promise<void> {
  const location = { url: databaseUrl, sqlitePath };
  for (let name: string | null = ''; name !== null && !name.startsWith(begin);) name = await migrateDown(location);
  await migrateUp(location);
}
