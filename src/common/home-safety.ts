import { statSync } from 'node:fs';
import { shellWord } from './shell-word.js';

const OTHERS_WRITE = 0o002;
const OTHERS_LIST = 0o044;

/**
 * Why a per-user directory is unsafe: anyone who can write to it could replace the server, the secret or the data. Null if it is safe, or
 * does not exist.
 */
export function homeFault(home: string): string | null {
  if ((modeOf(home) & OTHERS_WRITE) === 0) return null;
  return `other users of this machine can write in the directory; fix it with: chmod 700 ${shellWord(home)}`;
}

/** The warning at start if others can read the directory; otherwise null. */
export function homeWarning(home: string): string | null {
  if ((modeOf(home) & OTHERS_LIST) === 0) return null;
  return `other users of this machine can look into the home directory; fix it with: chmod 700 ${shellWord(home)}`;
}

/** Windows has no such bits; the user's profile folder is protected there. */
function modeOf(home: string): number {
  if (process.platform === 'win32') return 0;
  try {
    return statSync(home).mode;
  } catch {
    return 0;
  }
}
