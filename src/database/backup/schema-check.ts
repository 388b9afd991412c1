import { MIGRATIONS } from '../migrations.js';

/** Tables that a backup omits: the running instances, and the schema's version, which a backup stores in its header. */
const TRANSIENT = ['instance', 'migration'];
/** Tables that may have rows in an unused storage. */
const SET_UP = [...TRANSIENT, 'key_check'];

/** The tables whose rows a backup holds. */
export function lastingTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !TRANSIENT.includes(table));
}

/** The tables that must be empty in an empty storage. */
export function usedTables(tables: readonly string[]): string[] {
  return tables.filter((table) => !SET_UP.includes(table));
}

/** Migrations that this program does not know: the storage belongs to a newer one. */
export function unknownMigrations(names: readonly string[]): string[] {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

/** Migrations that a storage with these still needs. */
export function pendingMigrations(names: readonly string[]): string[] {
  return MIGRATIONS.map(({ name }) => name).filter((name) => !names.includes(name));
}
