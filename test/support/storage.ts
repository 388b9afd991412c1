import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from 'pg';
import { testDialect, type Dialect } from './dialect.js';
import { execute } from './sqlite-file.js';

/** An empty storage, with the environment that points a server at it. */
export interface TestStorage {
  readonly dialect: Dialect;
  readonly env: Record<string, string>;
  readonly home: string;
  readonly secret: string;
  readonly sqlitePath: string;
  readonly databaseUrl: string | null;
  dispose(): Promise<void>;
}

/** A new SQLite file or PostgreSQL database, and a home folder with a machine secret. */
export async function freshStorage(dialect: Dialect = testDialect(), adminUrl?: string): Promise<TestStorage> {
  const databaseUrl = dialect === 'postgres' ? await createDatabase(adminUrl ?? postgresUrl()) : null;
  return storageAt(await newHome(), newSecret(), databaseUrl, adminUrl);
}

function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/**
 * A new storage that already has its tables, copied from the one that the run's set-up migrated: a start takes a fifth less time.
 * For tests that do not care whether the server creates the tables. Without such a set-up, the same as `freshStorage`.
 */
export async function migratedStorage(): Promise<TestStorage> {
  if (testDialect() === 'postgres') {
    const databaseUrl = await createDatabase(postgresUrl(), process.env.WAYSTATION_TEST_TEMPLATE);
    return storageAt(await newHome(), newSecret(), databaseUrl);
  }
  const storage = await freshStorage();
  const file = process.env.WAYSTATION_TEST_MIGRATED_FILE;
  if (file !== undefined) await copyFile(file, storage.sqlitePath);
  return storage;
}

/** A copy of the storage, with the same secret. No server may use the original meanwhile. */
export async function copyOfStorage(storage: TestStorage): Promise<TestStorage> {
  const home = await newHome();
  const name = path.basename(storage.sqlitePath);
  for (const file of await readdir(storage.home)) {
    if (file === name || file === `${name}-wal`) await copyFile(path.join(storage.home, file), path.join(home, file));
  }
  const { databaseUrl } = storage;
  const copyUrl = databaseUrl === null ? null : await createDatabase(postgresUrl(), nameOf(databaseUrl));
  return storageAt(home, storage.secret, copyUrl);
}

async function newHome(): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
  await chmod(home, 0o700);
  return home;
}

async function storageAt(
  home: string,
  secret: string,
  databaseUrl: string | null,
  adminUrl?: string,
): Promise<TestStorage> {
  await writeFile(path.join(home, '.api-secret'), `${secret}\n`, { mode: 0o600 });
  return {
    dialect: databaseUrl === null ? 'sqlite' : 'postgres',
    home,
    secret,
    sqlitePath: path.join(home, 'waystation.db'),
    databaseUrl,
    env: { WAYSTATION_HOME: home, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
    async dispose() {
      if (databaseUrl !== null) await dropDatabase(adminUrl ?? postgresUrl(), databaseUrl);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A second home with the same secret: another instance on the same PostgreSQL. */
export async function siblingHome(storage: TestStorage): Promise<string> {
  const home = path.join(storage.home, `sibling-${randomBytes(4).toString('hex')}`);
  await mkdir(home, { mode: 0o700 });
  await writeFile(path.join(home, '.api-secret'), `${storage.secret}\n`, { mode: 0o600 });
  return home;
}

/** The PostgreSQL cluster of this test run: `TEST_DATABASE_URL`, or the one that the set-up started. */
export function postgresUrl(): string {
  const url = process.env.TEST_DATABASE_URL ?? process.env.WAYSTATION_TEST_CLUSTER_URL;
  if (!url) throw new Error('There is no PostgreSQL: the set-up of the jest project has not run.');
  return url;
}

export async function withPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  // Loaded only here: most tests on SQLite need none of its modules.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function createDatabase(adminUrl: string, template?: string): Promise<string> {
  const name = `waystation_test_${randomBytes(6).toString('hex')}`;
  const origin = template === undefined ? '' : ` TEMPLATE ${template}`;
  await withPostgres(adminUrl, (client) => client.query(`CREATE DATABASE ${name}${origin}`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropDatabase(adminUrl: string, databaseUrl: string): Promise<void> {
  await withPostgres(adminUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${nameOf(databaseUrl)} WITH (FORCE)`));
}

function nameOf(databaseUrl: string): string {
  return new URL(databaseUrl).pathname.slice(1);
}

/** Changes stored data directly, bypassing the server. */
export async function changeStored(storage: TestStorage, sql: string): Promise<void> {
  if (storage.databaseUrl === null) await execute(storage.sqlitePath, sql);
  else await withPostgres(storage.databaseUrl, (client) => client.query(sql));
}
