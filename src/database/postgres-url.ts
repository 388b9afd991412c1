import pg from 'pg';
import { DomainError } from '../common/domain-error.js';

/** Where a DATABASE_URL leads. Missing parts come from the environment, as with `PGHOST`. */
export interface PostgresPlace {
  /** Host and port, or a socket's folder. */
  server: string;
  database: string;
  user: string;
}

/** Modes that the driver treats as `verify-full`, with a long warning that this will change. */
const CHECKING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** The URL for the driver: certificates are checked in every mode but `no-verify` and `disable`, now and in later versions. */
export function connectionUrl(url: string): string {
  return url.replace(/([?&])sslmode=([^&#]*)/g, (part, before: string, mode: string) =>
    CHECKING_MODES.has(mode) && !/[?&]uselibpqcompat=true\b/.test(url) ? `${before}sslmode=verify-full` : part,
  );
}

/** @throws DomainError if it cannot be read; the message contains no part of it */
export function placeOf(url: string): PostgresPlace {
  try {
    const { host, port, database = '', user = '' } = new pg.Client({ connectionString: connectionUrl(url) });
    return { server: host.startsWith('/') ? host : `${host}:${port}`, database, user };
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): DomainError {
  const { code, path } = error as NodeJS.ErrnoException;
  const message =
    path === undefined
      ? 'DATABASE_URL cannot be read: a character of the user, password or database that is none of A-Z, a-z, 0-9, - . _ ~ must be percent-encoded.'
      : `The file ${path}, which DATABASE_URL names for TLS, cannot be read (${code}).`;
  return new DomainError('invalid', 'storage_url_invalid', message);
}
