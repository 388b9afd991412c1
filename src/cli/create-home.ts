import { errorCode } from '../common/error-code.js';
import { homeWarning } from '../common/home-safety.js';
import type { Logger } from '../common/logger.js';
import { makeFolder } from '../common/make-folder.js';
import { UsageError } from './cli-error.js';

const REASONS: Record<string, string> = {
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'no folder can be created there',
};

/** Warns at the start of a process if other users can read its files. */
export function warnIfOthersCanRead(home: string, logger: Logger): void {
  const warning = homeWarning(home);
  if (warning !== null) logger.warn(warning);
}

/**
 * Creates the home directory, mode 0700, if it is missing, so that a wrong path fails before anything else is tried.
 * @throws CliError with a one-sentence message
 */
export function createHome(home: string): void {
  try {
    makeFolder(home, 0o700);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const remedy = 'Set WAYSTATION_HOME to a folder in which this user may write.';
    throw new UsageError(`The home directory ${home} cannot be created: ${REASONS[code] ?? code}. ${remedy}`);
  }
}
