// Installs the packages of a folder of clients/ where what its package-lock.json asks for is not there, so that packing works in a fresh clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** Ends the process where they cannot be installed. Scripts of packages do not run. */
export function ensureInstalled(folder) {
  const lock = path.join(folder, 'package-lock.json');
  if (!existsSync(lock)) return;
  // The tests keep the same note.
  const note = path.join(folder, 'node_modules', '.waystation-lock');
  const wanted = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  // A trial of the packing needs them, too. What is printed goes to standard error: the names of the packed files are on the other one.
  const env = { ...process.env, npm_config_dry_run: 'false' };
  const shell = process.platform === 'win32';
  const { status } = spawnSync(NPM, INSTALL, { cwd: folder, env, shell, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(note, wanted);
}
