import { storageInUse } from '../backup/backup.errors.js';
import { assertMeetsRequirements } from '../postgres-requirements.js';
import { refuseWhileServersRun, staysHeld } from '../postgres-servers.js';
import { ADVISORY_LOCKS } from '../advisory-locks.js';
import { TRANSFER_TABLE } from '../migrator.js';
import { insertTexts, PostgresTexts, quoted, type ColumnType, type TextRow } from './postgres-texts.js';
import type { RowKey, SourcePage } from './sqlite-source.js';

export interface TableProgress {
  end: RowKey | null;
  isDone: boolean;
}

/** The progress row that identifies the storage being moved. */
const MARK = '';

/** The PostgreSQL that a storage is being moved to, with a progress table. Servers refuse to start while that exists. */
export class TransferTarget {
  private constructor(private readonly texts: PostgresTexts) {}

  /** @throws DomainError if a server could not run on it */
  static async open(url: string): Promise<TransferTarget> {
    await assertMeetsRequirements(url);
    return new TransferTarget(await PostgresTexts.open(url, 'waystation-transfer'));
  }

  /** @throws DomainError if servers or another transfer use the database */
  async reserve(): Promise<void> {
    const isHeld = async () => {
      const [[isFree]] = (await this.texts.query(`SELECT pg_try_advisory_lock(${ADVISORY_LOCKS.migration})`)) as [
        [string],
      ];
      return isFree !== 't';
    };
    if (await staysHeld(isHeld)) throw storageInUse('a server is starting on it, or another transfer is running');
    const isThere = (await this.texts.existing(['instance'])).length > 0;
    await refuseWhileServersRun((sql) => this.texts.records(sql), isThere);
  }

  async release(): Promise<void> {
    await this.texts.query(`SELECT pg_advisory_unlock(${ADVISORY_LOCKS.migration})`);
  }

  async isBegun(): Promise<boolean> {
    return (await this.texts.existing([TRANSFER_TABLE])).length > 0;
  }

  async begin(mark: string): Promise<void> {
    await this.transaction(async () => {
      await this.texts.query(
        `CREATE TABLE ${TRANSFER_TABLE} (table_name text PRIMARY KEY, row_key text, is_done boolean NOT NULL)`,
      );
      await this.texts.query(`INSERT INTO ${TRANSFER_TABLE} VALUES ($1, $2, FALSE)`, [MARK, mark]);
    });
  }

  /** Discards the rows moved so far. */
  async clear(tables: readonly string[]): Promise<void> {
    await this.transaction(async () => {
      if (tables.length > 0) await this.texts.query(`TRUNCATE ${tables.map(quoted).join(', ')}`);
      await this.texts.query(`DROP TABLE ${TRANSFER_TABLE}`);
    });
  }

  async finish(tables: readonly string[]): Promise<void> {
    for (const table of tables) await this.texts.query(`ANALYZE ${quoted(table)}`);
    await this.texts.query(`DROP TABLE ${TRANSFER_TABLE}`);
  }

  async mark(): Promise<string | null> {
    const [row] = await this.texts.query(`SELECT row_key FROM ${TRANSFER_TABLE} WHERE table_name = $1`, [MARK]);
    return row?.[0] ?? null;
  }

  async progressOf(table: string): Promise<TableProgress> {
    const sql = `SELECT row_key, is_done FROM ${TRANSFER_TABLE} WHERE table_name = $1`;
    const [row] = await this.texts.query(sql, [table]);
    const key = row?.[0] ?? null;
    return { end: key === null ? null : (JSON.parse(key) as RowKey), isDone: row?.[1] === 't' };
  }

  /** Stores a page and the progress in one transaction. */
  async store(table: string, columns: readonly ColumnType[], { rows, end }: SourcePage): Promise<void> {
    await this.transaction(async () => {
      await insertTexts(this.texts, { table, columns }, rows);
      await this.note(table, JSON.stringify(end), false);
    });
  }

  /** @param last the highest number that the key has ever issued */
  async finishTable(table: string, last: string | null): Promise<void> {
    const columns = last === null ? [] : await this.texts.numberedColumnsOf(table);
    await this.transaction(async () => {
      for (const column of columns) {
        await this.texts.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [quoted(table), column, last]);
      }
      await this.note(table, null, true);
    });
  }

  columnsOf(table: string): Promise<ColumnType[]> {
    return this.texts.columnsOf(table);
  }

  async hasRows(tables: readonly string[]): Promise<boolean> {
    for (const table of tables) {
      if ((await this.texts.query(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)).length > 0) return true;
    }
    return false;
  }

  async *rowsOf(table: string, columns: readonly ColumnType[]): AsyncGenerator<TextRow> {
    await this.texts.query('BEGIN READ ONLY');
    const names = columns.map(({ name }) => name);
    for await (const page of this.texts.pagesOf(table, names)) yield* page;
    await this.texts.query('COMMIT');
  }

  close(): Promise<void> {
    return this.texts.close();
  }

  private async note(table: string, key: string | null, isDone: boolean): Promise<void> {
    await this.texts.query(
      `INSERT INTO ${TRANSFER_TABLE} VALUES ($1, $2, $3)
       ON CONFLICT (table_name) DO UPDATE SET row_key = EXCLUDED.row_key, is_done = EXCLUDED.is_done`,
      [table, key, isDone],
    );
  }

  private async transaction(work: () => Promise<void>): Promise<void> {
    await this.texts.query('BEGIN');
    try {
      await work();
      await this.texts.query('COMMIT');
    } catch (error) {
      await this.texts.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}
