import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { withFolderLock } from './folder-lock.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');

/**
 * Packs a package of `clients/` as a user would get it from npm.
 * @param name a folder of `clients/`
 * @param target folder for the packed file
 * @returns the packed file
 * @throws Error when it cannot be built
 */
export function packClient(name: string, target: string): string {
  const folder = path.join(CLIENTS, name);
  // Packing builds its `dist`, which other workers may be packing.
  return withFolderLock(`${folder}/dist`, () => {
    const args = ['pack', '--silent', '--pack-destination', target];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm pack of ${folder}: ${stderr}${stdout}`);
    return path.join(target, stdout.trim().split('\n').at(-1)!);
  });
}
