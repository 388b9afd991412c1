import type { ClientBase } from 'pg';
import { DomainError } from '../common/domain-error.js';

/** Time limits in milliseconds; 0 for none. */
export interface SessionLimits {
  statementMs: number;
  /** Waiting for rows that others lock. */
  lockMs: number;
  /** A transaction without activity. */
  idleInTransactionMs: number;
}

/** For work that takes as long as it takes: migrations, backups. */
export const NO_LIMITS: SessionLimits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

/**
 * Settings that our statements rely on. A database or role may have others: `ALTER DATABASE ... SET`, `ALTER ROLE ... SET`, `options` in
 * DATABASE_URL.
 */
const RELIED_ON = {
  // Otherwise a backslash in a literal escapes the closing quotation mark.
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
  // Otherwise null elements of an array become the text NULL.
  array_nulls: 'on',
  // Fewer digits would round doubles.
  extra_float_digits: '3',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // A transaction that waited for a lock must see what was committed meanwhile.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Rows hidden by a policy are then an error instead of missing.
  row_security: 'off',
  exit_on_error: 'off',
  // Pooled and listening connections are idle for long. Older versions have neither setting.
  idle_session_timeout: '0',
  transaction_timeout: '0',
} as const;

/** Settings that PostgreSQL reports as they were set. */
const CHECKED = ['standard_conforming_strings', 'client_encoding', 'array_nulls', 'row_security'] as const;

/** A commit returns once it is on the server's disk. Administrators may also have it wait for standbys; all values but `off` flush. */
const DURABLE_COMMIT = `('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'))`;

interface Setting {
  name: string;
  value: string;
}

/**
 * Sets what a connection relies on, whatever its database and role say. Uses statements instead of connection parameters, which PgBouncer
 * refuses.
 * @param name in `pg_stat_activity`, even if DATABASE_URL sets another
 * @throws DomainError `storage_unavailable` if a setting has no effect, or the driver's error
 */
export async function prepareSession(client: ClientBase, name: string, limits: SessionLimits): Promise<void> {
  const settings = {
    ...RELIED_ON,
    application_name: name,
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
  };
  const wanted = Object.entries(settings).map((setting) => `(${setting.map((text) => `'${text}'`).join(', ')})`);
  const { rows } = await client.query<Setting>(
    `SELECT name, set_config(name, value, FALSE) AS value FROM (VALUES ${wanted.join(', ')}, ${DURABLE_COMMIT}) AS wanted(name, value)
     WHERE current_setting(name, TRUE) IS NOT NULL`,
  );
  const taken = new Map(rows.map((row) => [row.name, row.value]));
  const missed = CHECKED.find((setting) => taken.get(setting) !== RELIED_ON[setting]);
  if (missed !== undefined) throw rejectedSetting(missed, RELIED_ON[missed]);
  if (taken.get('synchronous_commit') === 'off') throw rejectedSetting('synchronous_commit', 'on');
}

function rejectedSetting(name: string, value: string): DomainError {
  const message = `PostgreSQL does not let the setting ${name} be ${value}.`;
  return new DomainError('unavailable', 'storage_unavailable', message, { retryAfterSeconds: 1 });
}
