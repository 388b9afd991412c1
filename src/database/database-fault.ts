import { DomainError } from '../common/domain-error.js';

interface DriverError {
  code?: unknown;
  message?: unknown;
}

/** lock_not_available */
const LOCK_TIMEOUT = '55P03';
/** read_only_sql_transaction */
const READ_ONLY = '25006';
/** Errors after which the same transaction may well succeed: another session won a race. */
const RACES = new Set(['40001', '40P01', '23505']);
const UNAVAILABLE_CODES = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  LOCK_TIMEOUT,
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
]);
/** PostgreSQL classes: 08 connection exception, 53 insufficient resources, 57 operator intervention and time limits, 58 system error. */
const UNAVAILABLE_CLASSES = /^(08|53|57|58)/;
/** node-postgres's messages, without a code, if a connection ends during a query or none is available. */
const LOST_CONNECTION =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

/** Whether to retry the whole transaction at once. */
export function isRace(error: unknown): boolean {
  return RACES.has(String((error as DriverError)?.code));
}

/** Whether the other end did not answer in time, so that the connection is unusable. */
export function isUnresponsive(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether the connection is read-only: a new one can write once its role or database may, or the primary is back. */
export function isReadOnly(error: unknown): error is Error {
  return error instanceof Error && (error as DriverError).code === READ_ONLY;
}

/** Whether others locked rows for too long, which affects only those rows. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DomainError && (error.cause as DriverError | undefined)?.code === LOCK_TIMEOUT;
}

/** A driver's error as a domain error, or the error itself if it is our bug. */
export function toDatabaseFault(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const code = String((error as DriverError)?.code ?? '');
  if (code === 'SQLITE_FULL' || code === '53100') {
    return new DomainError('storage_full', 'storage_full', 'The storage is full; nothing was saved.', {
      cause: error,
      retryAfterSeconds: 30,
    });
  }
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return unavailable('storage_corrupt', 'The database file is damaged; stop the server and restore a backup.', error);
  }
  if (code === 'SQLITE_READONLY' || code === READ_ONLY) {
    return unavailable('storage_read_only', 'The database is read-only; nothing was saved.', error);
  }
  if (code === '42501') {
    return unavailable('storage_denied', 'The database denies this program a permission; nothing was saved.', error);
  }
  if (isUnavailable(code, error) || isRace(error)) {
    return unavailable('storage_unavailable', 'The database does not answer at the moment; nothing was saved.', error);
  }
  return error;
}

function isUnavailable(code: string, error: unknown): boolean {
  return (
    UNAVAILABLE_CODES.has(code) ||
    UNAVAILABLE_CLASSES.test(code) ||
    LOST_CONNECTION.test(String((error as DriverError)?.message ?? ''))
  );
}

function unavailable(code: string, message: string, cause: unknown): DomainError {
  return new DomainError('unavailable', code, message, { cause, retryAfterSeconds: 1 });
}
