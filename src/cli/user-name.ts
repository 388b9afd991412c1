import os from 'node:os';

/** The user of this process; in containers a number may have no name. */
export function userName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
