import { Injectable } from '@nestjs/common';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { Database, type SqlReader } from '../../../database/database.js';
import { SMALL_THREAD_TABLES } from '../entities/thread-tables.js';
import type { Thread } from '../entities/thread.entity.js';
import { sqlLiteral, sqlTuple } from '../../../database/sql-literal.js';
import type { LargeTable } from '../threads.contract.js';
import { sumsOfStored } from '../journal/store/run-sums.js';
import { changeNumber } from '../journal/store/change-number.js';

/** Rows and approximate bytes per transaction, which delays writers by some milliseconds. */
const CHUNK = 1000;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Every table of this module that loses rows when a thread is deleted. */
const TABLES = ['thread', ...SMALL_THREAD_TABLES, 'deleted_thread', 'deletion_notice'];

type Detached = Pick<Thread, 'pk' | 'id' | 'last_fence'>;

/** Deletes threads in two steps: hides them from all readers at once, then removes their rows piece by piece. */
@Injectable()
export class ThreadDeletionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Hides a locked thread from readers and notes that its rows must be deleted.
   * @param tables further tables with a column `thread_pk` whose rows go with it
   */
  detachScript({ pk, id, last_fence }: Detached, nowMs: number, tables: readonly string[]): string {
    // Before the thread's row is deleted, so that no change number is reused.
    const notice = `INSERT INTO deletion_notice(thread_pk, thread_id, change_no, deleted_at, last_fence)
       VALUES (${pk}, ${sqlLiteral(id, this.database.dialect)}, ${changeNumber(this.database.dialect, nowMs)}, ${nowMs}, ${last_fence});`;
    const small = [...SMALL_THREAD_TABLES, ...tables].map((table) => `DELETE FROM ${table} WHERE thread_pk = ${pk};`);
    return `${notice}DELETE FROM thread WHERE pk = ${pk};${small.join('')}
       INSERT INTO deleted_thread(thread_pk, deleted_at) VALUES (${pk}, ${nowMs});`;
  }

  /**
   * Deletes a detached thread's remaining rows, then the note. Several processes may do so at once: each waits for rows that another is
   * deleting, and the note stays until none are left.
   * @param large the tables with the rows that are left
   */
  async removeRest(pk: number, large: readonly LargeTable[]): Promise<void> {
    do {
      for (const one of large) while (await this.removeSome(one, pk));
    } while (await this.isLeft(pk, large));
  }

  /** Forgets deletions before this time, except the last one: change numbers continue from it. */
  async forgetNotices(beforeMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `DELETE FROM deletion_notice WHERE deleted_at < $1 AND change_no < (SELECT MAX(change_no) FROM deletion_notice)`,
        [beforeMs],
      ),
    );
  }

  /**
   * Threads with leftover rows: deleted ones and abandoned imports.
   * @param beforeMs latest time of the deletion
   * @param except threads to skip
   */
  async findDetached(beforeMs: number, except: Iterable<number>, limit: number): Promise<number[]> {
    const others = [...except].map((pk) => ` AND thread_pk <> ${pk}`).join('');
    const sql = `SELECT thread_pk FROM deleted_thread WHERE deleted_at <= $1${others} ORDER BY thread_pk LIMIT $2`;
    const rows = await this.database.read<{ thread_pk: number }>(sql, [beforeMs, limit]);
    return rows.map(({ thread_pk }) => thread_pk);
  }

  async hasRun(reader: SqlReader, pk: number, traceId: string): Promise<boolean> {
    const sql = 'SELECT 1 AS found FROM run WHERE thread_pk = $1 AND trace_id = $2';
    return (await reader.query(sql, [pk, traceId])).length > 0;
  }

  /** Subtracts a thread's runs from the sums over all runs. */
  forgetSums(pk: number): string {
    return sumsOfStored(this.database.dialect, pk, -1);
  }

  async findByRuns(traceIds: readonly string[]): Promise<string[]> {
    const sql = `SELECT DISTINCT t.id FROM run r JOIN thread t ON t.pk = r.thread_pk
      WHERE r.trace_id IN ${sqlTuple(traceIds, this.database.dialect)}`;
    return (await this.database.read<{ id: string }>(sql)).map(({ id }) => id);
  }

  /** @param condition SQL: whether, in another module, thread `t` waits for a person */
  async isWaiting(reader: SqlReader, pk: number, condition: string): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM thread t WHERE t.pk = $1 AND (${condition})`;
    return (await reader.query(sql, [pk])).length > 0;
  }

  /**
   * Ids of threads that wait for no person and had no change and no new lease holder since `beforeMs`, oldest first.
   * @param isWaiting see `isWaiting`
   */
  async findOld(beforeMs: number, isWaiting: string, limit: number): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(
      `SELECT id FROM thread t WHERE updated_at < $1 AND pending_approvals = 0 AND status <> '${RUN_STATUS.waiting}'
       AND last_fence < $1 AND NOT (${isWaiting}) ORDER BY updated_at, pk LIMIT $2`,
      [beforeMs, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** @param tables further tables that rows were deleted from */
  async reclaim(tables: readonly string[], stop: AbortSignal): Promise<void> {
    await this.database.reclaim([...TABLES, ...tables], stop);
  }

  /** Removes a detached thread's note if none of its rows is left. Returns whether the note is still there. */
  private isLeft(pk: number, large: readonly LargeTable[]): Promise<boolean> {
    // Another process may have deleted rows without having committed yet: this statement still sees them.
    const isEmpty = large.map(({ table }) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE thread_pk = $1)`).join(' AND ');
    return this.database.transaction(async (session) => {
      await session.query(`DELETE FROM deleted_thread WHERE thread_pk = $1 AND ${isEmpty}`, [pk]);
      return (await session.query('SELECT 1 AS one FROM deleted_thread WHERE thread_pk = $1', [pk])).length > 0;
    });
  }

  /** Returns whether there may be more. */
  private async removeSome({ table, keys, bytes = '0' }: LargeTable, pk: number): Promise<boolean> {
    const first = `SELECT ${keys}, ${bytes} AS bytes FROM ${table} WHERE thread_pk = $1 ORDER BY ${keys} LIMIT ${CHUNK}`;
    const before = `SUM(bytes) OVER (ORDER BY ${keys} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
    const removed = await this.database.transaction((session) =>
      session.query<{ bytes: number }>(
        `DELETE FROM ${table} WHERE thread_pk = $1 AND (${keys}) IN
           (SELECT ${keys} FROM (SELECT ${keys}, ${before} AS before FROM (${first}) AS first_rows) AS rows_in_order
            WHERE COALESCE(before, 0) < ${CHUNK_BYTES})
         RETURNING ${bytes} AS bytes`,
        [pk],
      ),
    );
    return removed.length === CHUNK || removed.reduce((sum, row) => sum + row.bytes, 0) >= CHUNK_BYTES;
  }
}
