import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withFolderLock } from './folder-lock.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
/** npm's codes for faults of the project rather than the machine or the network. */
const OWN_FAULT = /\b(EUSAGE|EJSONPARSE|ERESOLVE|ETARGET)\b/;

/** A package of `clients/` with its dependencies installed. */
export interface InstalledClient {
  /** Its folder. */
  readonly folder: string;
  /** A program of its `node_modules/.bin`. */
  program(name: string): string;
}

/**
 * Installs the dependencies in package-lock.json of `clients/<name>`, if they are missing, without running their scripts. If several
 * workers ask at once, one installs and the others wait.
 * @param name a folder of `clients/`
 * @returns the reason if this machine cannot install them
 * @throws Error if package.json and package-lock.json do not match
 */
export function installedClient(name: string): InstalledClient | { reason: string } {
  const folder = path.join(CLIENTS, name);
  const lock = readFileSync(path.join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = path.join(folder, 'node_modules', '.waystation-lock');
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  const reason = isInstalled() ? null : withFolderLock(folder, () => (isInstalled() ? null : install(folder)));
  if (reason !== null) return { reason };
  if (!isInstalled()) writeFileSync(stamp, wanted);
  return { folder, program: (file) => path.join(folder, 'node_modules', '.bin', file) };
}

/**
 * The tests of a package of `clients/`. If it cannot be installed, they do not run: a notice says so, and it is a failure if
 * `WAYSTATION_REQUIRE_CLIENTS` is 1.
 * @param folder of `clients/`
 */
export function describeWithClient(folder: string, name: string, tests: (client: InstalledClient) => void): void {
  const found = installedClient(folder);
  if (!('reason' in found)) {
    describe(name, () => tests(found));
    return;
  }
  describe(name, () => {
    it('can only be tested where its packages can be installed', () => untested(`clients/${folder}`, found.reason));
  });
}

/**
 * Prints that something of `clients/` is not tested here.
 * @throws Error if `WAYSTATION_REQUIRE_CLIENTS` is 1
 */
export function untested(what: string, reason: string): void {
  if (process.env.WAYSTATION_REQUIRE_CLIENTS === '1') throw new Error(`${what} cannot be tested: ${reason}`);
  process.stderr.write(`\n!!! NOT TESTED: ${what}: ${reason}\n\n`);
}

function install(folder: string): string | null {
  const { status, stdout, stderr, error } = spawnSync(NPM, INSTALL, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return null;
  const words = error?.message ?? `${stderr}${stdout}`.trim();
  if (OWN_FAULT.test(words)) throw new Error(`npm cannot install ${folder}: ${words}`);
  return words.slice(0, 500);
}
