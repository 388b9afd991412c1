import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Path of a program that a test needs; null if this machine lacks it, which is printed, and is a failure if the environment variable named
 * by `required` is set.
 */
export function findProgram(name: string, untested: string, required = 'WAYSTATION_REQUIRE_TERMINAL'): string | null {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'];
  const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (process.env[required]) throw new Error(`No ${name} on the PATH, but it is required.`);
  console.warn(`NOT TESTED: ${untested}, as there is no ${name} on the PATH.`);
  return null;
}
