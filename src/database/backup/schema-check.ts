import type { MigrationList } from '../data-source.options.js';
import { MIGRATIONS } from '../migrations.js';

/**
 * Tables that a copy of the storage omits: running instances, the schema's version, which a backup has in its header, and console sessions,
 * because a restored backup must not revive ended ones.
 */
const TRANSIENT = ['instance', 'migration', 'console_code', 'console_session'];
/** Tables that may have rows in an unused storage. */
const SET_UP = [...TRANSIENT, 'key_check'];

/** The tables whose rows a backup holds. */
export function lastingTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !TRANSIENT.includes(table));
}

/** The tables that are empty in an unused storage. */
export function usedTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !SET_UP.includes(table));
}

/** Migrations unknown to this program: the storage belongs to a newer one. */
export function unknownMigrations(names: readonly string[], migrations: MigrationList = MIGRATIONS): string[] {
  const known = new Set(migrations.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

/** Migrations that are still to run. */
export function pendingMigrations(names: readonly string[]): string[] {
  return MIGRATIONS.map(({ name }) => name).filter((name) => !names.includes(name));
}
