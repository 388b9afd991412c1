import { errorCode } from '../common/error-code.js';
import { DomainError } from '../common/domain-error.js';

/** Why the SQLite file could not be opened, with advice for the operator; the error itself if the driver's message is just as clear. */
export function openingFault(error: unknown, path: string): unknown {
  if (error instanceof DomainError) return error;
  const make = (code: string, message: string) => new DomainError('unavailable', code, message, { cause: error });
  switch (driverCode(error)) {
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return make(
        'storage_corrupt',
        `${path} is damaged or no SQLite database. To restore a backup: put it in the place of this file, remove ${path}-wal and ${path}-shm, start again. Without one, move the three files away to start empty.`,
      );
    case 'SQLITE_READONLY':
      return make('storage_read_only', `${path} can only be read. The server must be able to write it and its folder.`);
    case 'SQLITE_CANTOPEN':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return make(
        'storage_unavailable',
        `${path} cannot be opened. The server must be able to write it and its folder.`,
      );
    case 'SQLITE_FULL':
    case 'ENOSPC':
      return make('storage_full', `There is no space left for ${path}. Free some and start again.`);
    case 'SQLITE_BUSY':
      return make('storage_in_use', `Another program holds the lock of ${path}. End it and start again.`);
    default:
      return error;
  }
}

/** TypeORM wraps the driver's errors during migrations. */
function driverCode(error: unknown): string | null {
  return errorCode((error as { driverError?: unknown })?.driverError) ?? errorCode(error);
}
