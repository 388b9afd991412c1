import sqlite3 from 'sqlite3';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import { poolOptions } from './postgres-connection.js';
import { NO_LIMITS } from './postgres-session.js';
import { MIGRATIONS } from './migrations.js';

export const MIGRATION_TABLE = 'migration';

/** Migrations in the order of their time stamps. */
export type MigrationList = readonly (new () => MigrationInterface)[];

export type EntityList = readonly (new () => object)[];

/** `url` for PostgreSQL, otherwise the path of the SQLite file. */
export interface StorageLocation {
  url: string | null;
  sqlitePath: string;
}

/** TypeORM's options for migrations and, with `entities`, for comparing schema and entities. */
export function dataSourceOptions(
  location: StorageLocation,
  entities: EntityList = [],
  migrations: MigrationList = MIGRATIONS,
): DataSourceOptions {
  const shared = {
    entities: [...entities],
    migrations: [...migrations],
    migrationsTableName: MIGRATION_TABLE,
    migrationsTransactionMode: 'each' as const,
    synchronize: false,
    logging: false,
  };
  if (location.url !== null) {
    const extra = poolOptions({ url: location.url, name: 'waystation-migrate', limits: NO_LIMITS });
    return { ...shared, type: 'postgres', extra, poolSize: 2 };
  }
  return { ...shared, type: 'sqlite', database: location.sqlitePath, driver: quietDriver() };
}

/** TypeORM turns on `verbose()`, which inspects every argument of every call. */
function quietDriver(): unknown {
  const quiet = { ...sqlite3, verbose: () => quiet };
  return quiet;
}
