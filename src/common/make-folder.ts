import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from './error-code.js';

/**
 * Creates a folder and those above it that are missing. Node's own way (`recursive`) never ends below a folder that says "no such file" to
 * whoever creates something in it, as /proc does.
 * @param mode for those that are created; the process mask applies
 * @throws the error of the system
 */
export function makeFolder(folder: string, mode = 0o777): void {
  for (const missing of missingFolders(path.resolve(folder))) makeOne(missing, mode);
}

/** The highest first; the folder itself also where something else has its name. */
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
    // Another process may make the same one.
    if (errorCode(error) !== 'EEXIST' || kindOf(folder) !== 'folder') throw error;
  }
}

/** Null for nothing. */
function kindOf(name: string): 'folder' | 'other' | null {
  try {
    return statSync(name).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
