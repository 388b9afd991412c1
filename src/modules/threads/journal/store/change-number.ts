import type { Dialect } from '../../../../database/database.js';
import type { WorkedOut } from './row-script.js';

const TRANSACTION_NUMBER = 'pg_current_xact_id()::text::bigint';

/** The number of the newest stored change. Deletions count: their thread is gone, but the number must not be reused. */
export const LAST_CHANGE = `MAX(COALESCE((SELECT MAX(change_no) FROM thread), 0), COALESCE((SELECT MAX(change_no) FROM deletion_notice), 0))`;

/**
 * SQL for a change's number, evaluated in its transaction. SQLite commits in order: the number is higher than all before, and at least the
 * time, so a restored backup does not repeat numbers. PostgreSQL commits in any order: the number is the transaction's own, to be compared
 * with a snapshot.
 */
export function changeNumber(dialect: Dialect, nowMs: number): string {
  return dialect === 'sqlite' ? `MAX(${LAST_CHANGE} + 1, ${nowMs})` : TRANSACTION_NUMBER;
}

/** As the last column of thread rows. */
export function changeOfThreads(dialect: Dialect, nowMs: number): WorkedOut {
  return { column: 'change_no', sql: changeNumber(dialect, nowMs), isQuery: dialect === 'sqlite' };
}

/** For rows that the same transaction writes after their threads. */
export function changeOfEvents(dialect: Dialect): WorkedOut {
  const sql = dialect === 'sqlite' ? '(SELECT MAX(change_no) FROM thread)' : TRANSACTION_NUMBER;
  return { column: 'change_no', sql, isQuery: dialect === 'sqlite' };
}
