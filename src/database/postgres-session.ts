import type { ClientBase } from 'pg';
import { DomainError } from '../common/domain-error.js';

/** How long things may last, in milliseconds; 0 for as long as they need. */
export interface SessionLimits {
  statementMs: number;
  /** Waiting for rows that others lock. */
  lockMs: number;
  /** A transaction in which nothing happens. */
  idleInTransactionMs: number;
}

/** For work that is done when it is done: migrations, backups. */
export const NO_LIMITS: SessionLimits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

/**
 * Settings on which the meaning of our statements depends. A database or a role may have others: `ALTER DATABASE ... SET`,
 * `ALTER ROLE ... SET`, `options` in DATABASE_URL.
 */
const RELIED_ON = {
  // Otherwise a backslash in a literal escapes the quotation mark behind it.
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
  // Otherwise the empty places of an array are the text NULL.
  array_nulls: 'on',
  // Fewer digits would round doubles.
  extra_float_digits: '3',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // A transaction that waited for a lock must see what was committed meanwhile.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // Rows that a policy hides are an error then, instead of missing.
  row_security: 'off',
  exit_on_error: 'off',
  // Connections of the pool, and the one that listens, are idle for long. Older versions have neither of these.
  idle_session_timeout: '0',
  transaction_timeout: '0',
} as const;

/** Those that PostgreSQL writes as they are given. */
const CHECKED = ['standard_conforming_strings', 'client_encoding', 'array_nulls', 'row_security'] as const;

/** A commit returns once it is on the server's disk. Administrators may also have it wait for standbys, or not: all other values flush, too. */
const DURABLE_COMMIT = `('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'))`;

interface Setting {
  name: string;
  value: string;
}

/**
 * Sets what a connection relies on, whatever its database and its role say. By statement and not when it connects, because PgBouncer
 * refuses such parameters.
 * @param name what `pg_stat_activity` calls the connection, also where DATABASE_URL names it otherwise
 * @throws DomainError `storage_unavailable` when a setting does not take, or the driver's error
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
