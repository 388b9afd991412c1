import { DomainError } from '../../common/domain-error.js';

/** What a backup omits: running instances and console sessions. */
const WITHOUT_TRANSIENT = "--exclude-table-data='console_*' --exclude-table-data=instance";

export function unusableBackup(file: string, why: string): DomainError {
  return new DomainError('invalid', 'backup_unusable', `${file} cannot be used: ${why}. Nothing was changed.`);
}

export function storageNotEmpty(): DomainError {
  const message = 'The storage is not empty; --force replaces its data. Nothing was changed.';
  return new DomainError('conflict', 'storage_not_empty', message);
}

export function storageInUse(why: string): DomainError {
  return new DomainError('conflict', 'storage_in_use', `The storage is in use: ${why}. Nothing was changed.`);
}

/** PostgreSQL's own tools back up and restore it; docs/guides/operations.md has the commands. */
export function usePostgresTools(): DomainError {
  return new DomainError(
    'invalid',
    'use_pg_dump',
    `This command is for SQLite, and DATABASE_URL names a PostgreSQL. Back it up with PostgreSQL's own tools:
  pg_dump --format=custom ${WITHOUT_TRANSIENT} --file=FILE "$DATABASE_URL"
  pg_restore --clean --if-exists --no-owner --single-transaction --dbname="$DATABASE_URL" FILE    # stop all servers first`,
  );
}
