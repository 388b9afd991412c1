import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { connectionFault } from '../connection-fault.js';
import { dataSourceOptions } from '../data-source.options.js';
import { ADVISORY_LOCK } from '../migrator.js';
import { refuseUnfit } from '../postgres-requirements.js';
import { storageNotEmpty, unusableBackup } from './backup.errors.js';
import { readBackup, type BackupEnd, type BackupHeader, type BackupRow, type BackupTable } from './backup-lines.js';
import { refuseWhileServersRun } from './postgres-servers.js';
import { insertTexts, type TextTarget } from './postgres-insert.js';
import { quoted } from './postgres-texts.js';
import { unknownMigrations, usedTables } from './schema-check.js';

const BATCH_ROWS = 500;
const BATCH_TEXT = 4 * 1024 * 1024;

export interface PostgresRestoreOrder {
  url: string;
  /** The tables of this program. */
  tables: readonly string[];
  force: boolean;
}

/**
 * Replaces the content of the tables with the backup, in one transaction: a failure changes nothing.
 * It holds the lock of the migrations, so that no server can start on half of it.
 * @returns the migrations that it ran afterwards, because the backup is older than the program
 */
export async function restorePostgres(file: string, order: PostgresRestoreOrder): Promise<string[]> {
  const { header, tables } = await verify(file);
  await refuseUnfit(order.url);
  const source = await new DataSource(dataSourceOptions({ url: order.url, sqlitePath: '' })).initialize();
  const runner = source.createQueryRunner();
  try {
    await runner.connect();
    await runner.startTransaction();
    await runner.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    await makeRoom(runner, [...new Set([...order.tables, ...tables, 'migration'])], order);
    const newer = await load(file, header, source, runner);
    await runner.commitTransaction();
    return newer;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw connectionFault(error, order.url);
  } finally {
    await runner.release();
    await source.destroy();
  }
}

/** Reads the whole file before it changes anything. */
async function verify(file: string): Promise<{ header: BackupHeader; tables: string[] }> {
  let header: BackupHeader | null = null;
  const tables: string[] = [];
  for await (const line of readBackup(file)) {
    header ??= headerOf(file, line);
    if ('table' in line) tables.push(line.table);
  }
  return { header: header!, tables };
}

function headerOf(file: string, line: object): BackupHeader {
  const header = line as Partial<BackupHeader>;
  if (header.format !== 'waystation-backup') throw unusableBackup(file, 'it is not a backup of Waystation');
  const unknown = unknownMigrations(header.migrations ?? []);
  if (header.version === 1 && unknown.length === 0) return header as BackupHeader;
  throw unusableBackup(file, `a newer version (${header.program}) made it; restore it with that version`);
}

async function makeRoom(runner: QueryRunner, names: readonly string[], { force }: PostgresRestoreOrder): Promise<void> {
  const sql = `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_name = ANY($1::text[])`;
  const found = ((await runner.query(sql, [names])) as { name: string }[]).map(({ name }) => name);
  await refuseWhileServersRun((text) => runner.query(text) as Promise<object[]>, found.includes('instance'));
  for (const name of force ? [] : usedTables(found)) {
    if ((await runner.query(`SELECT 1 FROM ${quoted(name)} LIMIT 1`)).length > 0) throw storageNotEmpty();
  }
  for (const name of found) await runner.query(`DROP TABLE ${quoted(name)}`);
}

/** Creates the backup's schema, loads the rows, then runs later migrations. */
async function load(file: string, header: BackupHeader, source: DataSource, runner: QueryRunner): Promise<string[]> {
  const executor = new MigrationExecutor(source, runner);
  executor.transaction = 'none';
  for (const migration of await executor.getAllMigrations()) {
    if (header.migrations.includes(migration.name)) await executor.executeMigration(migration);
  }
  await loadRows(file, runner);
  return (await executor.executePendingMigrations()).map(({ name }) => name);
}

async function loadRows(file: string, runner: QueryRunner): Promise<void> {
  let target: TextTarget | null = null;
  let batch: BackupRow[] = [];
  let text = 0;
  const flush = async () => {
    if (target !== null && batch.length > 0) await insertTexts(runner, target, batch);
    batch = [];
    text = 0;
  };
  for await (const line of readBackup(file)) {
    if (Array.isArray(line)) {
      batch.push(line);
      text += line.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (batch.length >= BATCH_ROWS || text >= BATCH_TEXT) await flush();
      continue;
    }
    await flush();
    if ('table' in line) target = await targetFor(file, line, runner);
    else if ('sha256' in line) await setSequences(line, runner);
  }
}

/** Types come from the schema, not from the file. */
async function targetFor(file: string, { table, columns }: BackupTable, runner: QueryRunner): Promise<TextTarget> {
  const sql = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = $1`;
  const found = (await runner.query(sql, [table])) as { name: string; type: string }[];
  const types = new Map(found.map(({ name, type }) => [name, type]));
  const unknown = columns.find((column) => !types.has(column));
  if (unknown !== undefined) throw unusableBackup(file, `the table ${table} has no column ${unknown}`);
  return { table, columns: columns.map((name) => ({ name, type: types.get(name)! })) };
}

async function setSequences({ sequences }: BackupEnd, runner: QueryRunner): Promise<void> {
  for (const { table, column, last } of sequences) {
    if (last === null) continue;
    await runner.query('SELECT setval(pg_get_serial_sequence($1, $2), $3::bigint)', [quoted(table), column, last]);
  }
}
