import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { Database, type ScriptPart, type SqlReader, type SqlValue } from '../../../database/database.js';
import { changeNumber } from '../journal/store/change-number.js';
import { continuedListFault } from '../journal/lists/continued-list-fault.js';
import { JournalRepository } from '../journal/store/journal.repository.js';
import { RowScript } from '../journal/store/row-script.js';
import { sumsOfStored } from '../journal/store/run-sums.js';

/** Milliseconds for which an import's rows are safe from cleanup; renewed with each page. */
const LEASE_MS = 10 * 60_000;
/** No page is stored with less left: cleanup must not begin during the write. */
const SAFE_MS = 60_000;

/** The databases' errors for an existing key. */
const REPEATED = new Set(['SQLITE_CONSTRAINT', '23505']);

/** Rows of one table, all with the same columns. */
export interface TableRows {
  table: string;
  rows: readonly Record<string, SqlValue>[];
}

/** Stores the rows of a thread that nobody sees yet. */
@Injectable()
export class ThreadImportRepository {
  constructor(
    private readonly database: Database,
    private readonly journal: JournalRepository,
  ) {}

  async isThere(threadId: string): Promise<boolean> {
    return (await this.database.read('SELECT 1 AS one FROM thread WHERE id = $1', [threadId])).length > 0;
  }

  /** A number for the thread. Rows stored under it are removed unless the thread is shown, even if this process dies. */
  reserve(nowMs: number): Promise<number> {
    return this.database.transaction(async (session) => {
      const pk = await this.journal.reserveThreadPk(session);
      await session.query('INSERT INTO deleted_thread(thread_pk, deleted_at) VALUES ($1, $2)', [pk, nowMs + LEASE_MS]);
      return pk;
    });
  }

  /** Stores a page of rows durably. @throws DomainError `unavailable` if earlier rows are being removed */
  async store(pk: number, { table, rows }: TableRows, nowMs: number): Promise<void> {
    await this.database.commitScript(async (reader) => {
      await this.assertSafe(reader, pk, nowMs);
      const script = insert(new RowScript(this.database.dialect), pk, { table, rows });
      script.add(`UPDATE deleted_thread SET deleted_at = ${nowMs + LEASE_MS} WHERE thread_pk = ${pk};`);
      return { script: script.finish(), result: undefined };
    });
  }

  /** What is wrong with continued lists of checkpoints; null if nothing is. */
  listFault(pk: number): Promise<string | null> {
    return continuedListFault(this.database.reader, pk);
  }

  /** The statements that show the thread, with its own row and those that must appear with it. */
  async showing(reader: SqlReader, pk: number, parts: readonly TableRows[], nowMs: number): Promise<ScriptPart[]> {
    await this.assertSafe(reader, pk, nowMs);
    const script = new RowScript(this.database.dialect);
    for (const part of parts) insert(script, pk, part);
    script.add(sumsOfStored(this.database.dialect, pk));
    script.add(`UPDATE thread SET change_no = ${changeNumber(this.database.dialect, nowMs)} WHERE pk = ${pk};`);
    script.add(`DELETE FROM deleted_thread WHERE thread_pk = ${pk};`);
    return [...script.finish()];
  }

  /** Leaves the rows to cleanup. Returns false if the thread is already shown: then nothing may be removed. */
  async giveUp(pk: number, nowMs: number): Promise<boolean> {
    const given = await this.database.transaction((session) =>
      session.query('UPDATE deleted_thread SET deleted_at = $1 WHERE thread_pk = $2 RETURNING thread_pk', [nowMs, pk]),
    );
    return given.length > 0;
  }

  private async assertSafe(reader: SqlReader, pk: number, nowMs: number): Promise<void> {
    const lock = this.database.isShared ? 'FOR UPDATE' : '';
    const [row] = await reader.query<{ deleted_at: number }>(
      `SELECT deleted_at FROM deleted_thread WHERE thread_pk = $1 ${lock}`,
      [pk],
    );
    if (row && row.deleted_at > nowMs + SAFE_MS) return;
    throw new DomainError('unavailable', 'import_expired', 'The import paused for too long; start it again.');
  }
}

/** Whether rows were refused because their keys exist. */
export function isRepeatedRow(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return REPEATED.has(String(code)) || REPEATED.has(String(cause?.code));
}

function insert(script: RowScript, pk: number, { table, rows }: TableRows): RowScript {
  const own = table === 'thread' ? 'pk' : 'thread_pk';
  const [first] = rows;
  if (!first) return script;
  const numbered = rows.map((row) => ({ [own]: pk, ...row }));
  return script.insert(table, [own, ...Object.keys(first)], numbered);
}
