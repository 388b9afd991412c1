import type { Database } from '../../../database/database.js';
import { SqlText } from './row-script.js';

type Dialect = Database['dialect'];

/** The number of the newest change that is stored. Deletions count: their thread is gone, the number must not come back. */
export const LAST_CHANGE = `MAX(COALESCE((SELECT MAX(change_no) FROM thread), 0), COALESCE((SELECT MAX(change_no) FROM deletion_notice), 0))`;

/**
 * SQL for the number of a change, evaluated in its transaction. On SQLite, where transactions commit in their order, it is higher than
 * all before, also where a backup was restored: it is no lower than the time. On PostgreSQL transactions commit in any order, and only
 * the database knows which have: it is the transaction's own number, to be compared with a snapshot.
 */
export function changeNumber(dialect: Dialect, nowMs: number): SqlText {
  return new SqlText(dialect === 'sqlite' ? `MAX(${LAST_CHANGE} + 1, ${nowMs})` : 'pg_current_xact_id()::text::bigint');
}

/** The same for rows that are written after their thread in the same transaction. */
export function changeNumberOfThread(dialect: Dialect): SqlText {
  return new SqlText(
    dialect === 'sqlite' ? '(SELECT MAX(change_no) FROM thread)' : 'pg_current_xact_id()::text::bigint',
  );
}
