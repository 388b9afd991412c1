import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where a program that a test needs is; null where this machine lacks it, which is said aloud and is a failure under `WAYSTATION_REQUIRE_TERMINAL`. */
export function findProgram(name: string, untested: string): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (process.env.WAYSTATION_REQUIRE_TERMINAL) throw new Error(`No ${name} on the PATH, but it is required.`);
  console.warn(`NOT TESTED: ${untested}, as there is no ${name} on the PATH.`);
  return null;
}
