import os from 'node:os';
import path from 'node:path';

/** The default folder of Waystation's files for this user; null if the user has no home directory, as in many containers. */
export function defaultHome(): string | null {
  const home = homeDirectory();
  return home === null ? null : path.join(home, '.waystation');
}

/** The system throws if HOME is unset and the user is unknown to it. An empty HOME would mean the working directory. */
function homeDirectory(): string | null {
  try {
    return os.homedir() || null;
  } catch {
    return null;
  }
}
