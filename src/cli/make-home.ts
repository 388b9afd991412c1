import { mkdirSync } from 'node:fs';
import { errorCode } from '../common/error-code.js';
import { CliError } from './cli-error.js';

const MISUSED = 2;
const REASONS: Record<string, string> = {
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'no folder can be created there',
};

/**
 * Creates the home directory, mode 0700, if it is missing, so that a wrong path fails before anything else is tried.
 * @throws CliError in one sentence
 */
export function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    throw new CliError(
      `The home directory ${home} (WAYSTATION_HOME) cannot be created: ${REASONS[code] ?? code}.`,
      MISUSED,
    );
  }
}
