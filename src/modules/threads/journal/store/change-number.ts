import type { Database } from '../../../../database/database.js';
import type { WorkedOut } from './row-script.js';

type Dialect = Database['dialect'];

const TRANSACTION_NUMBER = 'pg_current_xact_id()::text::bigint';

/** The number of the newest change that is stored. Deletions count: their thread is gone, the number must not come back. */
export const LAST_CHANGE = `MAX(COALESCE((SELECT MAX(change_no) FROM thread), 0), COALESCE((SELECT MAX(change_no) FROM deletion_notice), 0))`;

/**
 * SQL for the number of a change, evaluated in its transaction. On SQLite, where transactions commit in their order, it is higher than
 * all before, also where a backup was restored: it is no lower than the time. On PostgreSQL transactions commit in any order, and only
 * the database knows which have: it is the transaction's own number, to be compared with a snapshot.
 */
export function changeNumber(dialect: Dialect, nowMs: number): string {
  return dialect === 'sqlite' ? `MAX(${LAST_CHANGE} + 1, ${nowMs})` : TRANSACTION_NUMBER;
}

/** The same as the last column of the rows of threads. */
export function changeOfThreads(dialect: Dialect, nowMs: number): WorkedOut {
  return { column: 'change_no', sql: changeNumber(dialect, nowMs), isQuery: dialect === 'sqlite' };
}

/** The same for rows that are written after their threads in the same transaction. */
export function changeOfEvents(dialect: Dialect): WorkedOut {
  const sql = dialect === 'sqlite' ? '(SELECT MAX(change_no) FROM thread)' : TRANSACTION_NUMBER;
  return { column: 'change_no', sql, isQuery: dialect === 'sqlite' };
}
