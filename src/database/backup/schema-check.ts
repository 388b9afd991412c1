import { MIGRATIONS } from '../migrations.js';

/** Tables that say nothing worth keeping: who is running now, and which schema this is, which a backup states in its own way. */
const TRANSIENT = ['instance', 'migration'];
/** Tables that may have rows in a storage that nobody has used yet. */
const SET_UP = [...TRANSIENT, 'key_check'];

/** The tables whose rows a backup holds. */
export function lastingTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !TRANSIENT.includes(table));
}

/** The tables whose rows make a storage one that is not empty. */
export function usedTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !SET_UP.includes(table));
}

/** Migrations that this program does not know: their storage belongs to a newer one. */
export function unknownMigrations(names: readonly string[]): string[] {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

/** Migrations that are still to be run on a storage that has had these. */
export function pendingMigrations(names: readonly string[]): string[] {
  return MIGRATIONS.map(({ name }) => name).filter((name) => !names.includes(name));
}
