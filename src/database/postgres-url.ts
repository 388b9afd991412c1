import pg from 'pg';
import { DomainError } from '../common/domain-error.js';

/** Where a DATABASE_URL leads. It may leave parts to the environment, as `PGHOST` does. */
export interface PostgresPlace {
  /** Host and port, or the folder of a socket. */
  server: string;
  database: string;
  user: string;
}

/** Modes that the driver takes for `verify-full`, with seven lines of warning that it will not do so forever. */
const CHECKING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** The URL as the driver needs it: the certificate is checked in every mode but `no-verify` and `disable`, now and in later versions. */
export function connectionUrl(url: string): string {
  return url.replace(/([?&])sslmode=([^&#]*)/g, (part, before: string, mode: string) =>
    CHECKING_MODES.has(mode) && !/[?&]uselibpqcompat=true\b/.test(url) ? `${before}sslmode=verify-full` : part,
  );
}

/** @throws DomainError when it cannot be read; its message has no part of it */
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
