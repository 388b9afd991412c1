import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withFolderLock } from './folder-lock.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
/** What npm says of faults of the project, not of the machine or the network. */
const OWN_FAULT = /\b(EUSAGE|EJSONPARSE|ERESOLVE|ETARGET)\b/;

/** A package of `clients/` whose packages are installed. */
export interface InstalledClient {
  /** Its folder. */
  readonly folder: string;
  /** A program of its `node_modules/.bin`. */
  program(name: string): string;
}

/**
 * Installs what package-lock.json of `clients/<name>` asks for, if that is not there yet. Scripts of packages do not run. Several workers
 * may ask at once: one installs, the others wait.
 * @param name a folder of `clients/`
 * @returns the reason where this machine cannot install it
 * @throws Error when package.json and package-lock.json do not fit
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
 * The tests of a package of `clients/`. Where it cannot be installed they cannot run: that is said aloud, and a failure where
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
 * Says aloud that something of `clients/` is not tested here.
 * @throws Error where `WAYSTATION_REQUIRE_CLIENTS` is 1
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
