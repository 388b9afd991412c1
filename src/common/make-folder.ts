import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from './error-code.js';

/**
 * Creates a folder and its missing parents. Node's `recursive` option never returns below a folder that reports "no such file" when
 * something is created in it, as /proc does.
 * @param mode for the created folders; the umask applies
 * @throws the system's error
 */
export function makeFolder(folder: string, mode = 0o777): void {
  for (const missing of missingFolders(path.resolve(folder))) makeOne(missing, mode);
}

/** The topmost first; includes the folder itself even if something other than a folder has its name. */
function missingFolders(folder: string): string[] {
  if (kindOf(folder) === 'folder') return [];
  const missing = [folder];
  for (let at = path.dirname(folder); kindOf(at) === null && at !== path.dirname(at); at = path.dirname(at)) {
    missing.unshift(at);
  }
  return missing;
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may create the same one.
    if (errorCode(error) !== 'EEXIST' || kindOf(folder) !== 'folder') throw error;
  }
}

/** Null if it does not exist. */
function kindOf(name: string): 'folder' | 'other' | null {
  try {
    return statSync(name).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
