import os from 'node:os';
import path from 'node:path';

/** The usual folder of Waystation's files for this user; null for a user who has no home directory, as in many containers. */
export function defaultHome(): string | null {
  const home = homeDirectory();
  return home === null ? null : path.join(home, '.waystation');
}

/** The system throws where HOME is not set and the user stands in no list. An empty HOME would mean the working directory. */
function homeDirectory(): string | null {
  try {
    return os.homedir() || null;
  } catch {
    return null;
  }
}
