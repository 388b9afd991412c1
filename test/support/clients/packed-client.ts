import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { withFolderLock } from './folder-lock.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');

/**
 * Packs a package of `clients/` as a user would get it from npm.
 * @param name a folder of `clients/`
 * @param target folder for the packed file
 * @returns the packed file
 * @throws Error if the build fails
 */
export function packClient(name: string, target: string): string {
  const folder = path.join(CLIENTS, name);
  const printed = built(name, () => must('npm', ['pack', '--silent', '--pack-destination', target], folder));
  return path.join(target, printed.trim().split('\n').at(-1)!);
}

/**
 * Builds `dist` of a package of `clients/`.
 * @throws Error if the build fails
 */
export function buildClient(name: string): void {
  built(name, () => must(process.execPath, ['build.mjs', name], CLIENTS));
}

/** Other workers may be building the same package. */
function built<T>(name: string, work: () => T): T {
  return withFolderLock(path.join(CLIENTS, name, 'dist'), work);
}

function must(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} in ${cwd}: ${stderr}${stdout}`);
  return stdout;
}
