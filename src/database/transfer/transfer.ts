import { access } from 'node:fs/promises';
import { DomainError } from '../../common/domain-error.js';
import { storageNotEmpty } from '../backup/backup.errors.js';
import { lastingTables, pendingMigrations, unknownMigrations, usedTables } from '../backup/schema-check.js';
import { migrateUp } from '../migrator.js';
import { SqliteProcessLock } from '../sqlite-process-lock.js';
import { SqliteSource } from './sqlite-source.js';
import { TableDigest } from './table-digest.js';
import { TransferTarget } from './transfer-target.js';

export interface TransferOrder {
  sqlitePath: string;
  /** The PostgreSQL to move to; it must be empty or hold rows of an earlier run of the same transfer. */
  url: string;
  /** The tables of this program. */
  tables: readonly string[];
  /** Whether to discard an unfinished transfer first. */
  restart: boolean;
  report: (line: string) => void;
}

export interface TransferResult {
  /** The rows stored by this run, by table. */
  rows: Record<string, number>;
}

/**
 * Copies everything from a SQLite file to PostgreSQL exactly, and finally compares both. Does not change the file.
 * May be killed at any time: the next run continues after the last stored page. Until it has finished, no server starts on the target, and
 * none on the file while it runs.
 * @returns the rows moved now; none if everything was moved before
 * @throws DomainError `storage_in_use`, `storage_not_empty`, `schema_differs`, `transfer_differs`, `other_source`
 */
export async function moveToPostgres(order: TransferOrder): Promise<TransferResult> {
  await access(order.sqlitePath).catch((cause: unknown) => {
    throw new DomainError('not_found', 'no_storage', `There is no database ${order.sqlitePath}.`, { cause });
  });
  const lock = await SqliteProcessLock.acquire(order.sqlitePath);
  try {
    const source = await SqliteSource.open(order.sqlitePath);
    const target = await TransferTarget.open(order.url);
    try {
      return await new Transfer(source, target, order).run();
    } finally {
      await source.close();
      await target.close();
    }
  } finally {
    await lock.release();
  }
}

class Transfer {
  private readonly tables: string[];

  constructor(
    private readonly source: SqliteSource,
    private readonly target: TransferTarget,
    private readonly order: TransferOrder,
  ) {
    this.tables = lastingTables(order.tables).filter((table) => table !== 'key_check');
  }

  async run(): Promise<TransferResult> {
    await this.checkSchema();
    const rows: Record<string, number> = {};
    if (!(await this.prepare())) {
      this.order.report('everything was already moved');
      return { rows };
    }
    for (const table of this.tables) rows[table] = await this.move(table);
    const differing = await this.findDifference();
    if (differing !== null) throw transferDiffers(differing);
    await this.target.finish(this.tables);
    return { rows };
  }

  private async checkSchema(): Promise<void> {
    const names = await this.source.migrations();
    if (unknownMigrations(names).length === 0 && pendingMigrations(names).length === 0) return;
    throw new DomainError(
      'conflict',
      'schema_differs',
      'The SQLite file has the schema of another version. Migrate it first: waystation migrate, without DATABASE_URL.',
    );
  }

  /** Returns false if there is nothing left to do. */
  private async prepare(): Promise<boolean> {
    if (this.order.restart && (await this.target.isBegun())) {
      await this.target.reserve();
      await this.target.clear(this.tables);
      await this.target.release();
    }
    const isBegun = await this.target.isBegun();
    if (!isBegun) await migrateUp({ url: this.order.url, sqlitePath: '' });
    await this.target.reserve();
    const mark = await this.source.mark();
    if (isBegun) {
      if ((await this.target.mark()) !== mark) throw otherSource();
      return true;
    }
    if (await this.target.hasRows(usedTables(this.tables))) {
      if ((await this.findDifference()) === null) return false;
      throw storageNotEmpty();
    }
    await this.target.begin(mark);
    return true;
  }

  private async move(table: string): Promise<number> {
    const { end, isDone } = await this.target.progressOf(table);
    if (isDone) return 0;
    const columns = await this.target.columnsOf(table);
    let moved = 0;
    for await (const page of this.source.pagesOf(table, columns, end)) {
      await this.target.store(table, columns, page);
      moved += page.rows.length;
    }
    await this.target.finishTable(table, await this.source.lastNumber(table));
    const isNews = moved > 0 || end !== null;
    if (isNews)
      this.order.report(`moved    ${table}  ${moved} rows${end === null ? '' : ', after the rows of an earlier run'}`);
    return moved;
  }

  /** The first table that differs; null if none does. */
  private async findDifference(): Promise<string | null> {
    let emptyTables = 0;
    for (const table of this.tables) {
      const columns = await this.target.columnsOf(table);
      const [there, here] = [new TableDigest(columns), new TableDigest(columns)];
      for await (const { rows } of this.source.pagesOf(table, columns, null)) for (const row of rows) there.add(row);
      for await (const row of this.target.rowsOf(table, columns)) here.add(row);
      // Counted separately, so that rows skipped by the pages cannot go unnoticed on both sides.
      if (!there.equals(here) || here.rows !== (await this.source.countOf(table))) return table;
      if (here.rows === 0) emptyTables++;
      else this.order.report(`the same ${table}  ${here.rows} rows`);
    }
    if (emptyTables > 0) this.order.report(`empty    ${emptyTables} tables`);
    return null;
  }
}

function transferDiffers(table: string): DomainError {
  return new DomainError(
    'conflict',
    'transfer_differs',
    `The table ${table} differs between both sides: the file changed between two runs. Move it again with --restart.`,
  );
}

function otherSource(): DomainError {
  return new DomainError(
    'conflict',
    'other_source',
    'Another file was being moved to this database, or its first thread is gone. Continue with that file, or move this one with --restart.',
  );
}
