import os from 'node:os';

/** Who runs this process; containers may run under a number without a name. */
export function userName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
