import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withFolderLock } from './folder-lock.js';

/** Virtual environments of the tests, created once per Python version and packages, and shared by all checkouts. */
const CACHE = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'waystation-test-python');
/** If the registry did not respond, pip would retry for a minute. */
const PIP = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--retries', '1'];

/** An installed Python. */
export interface Python {
  /** Path of the program. */
  readonly path: string;
  /** As `3.11`. */
  readonly version: string;
}

/** A Python with packages, in its own virtual environment. */
export interface PythonWith extends Python {
  /** A program that a package installed, such as `mypy`. */
  program(name: string): string;
}

/**
 * All Pythons of this machine from a version on, oldest first: those on the PATH and those of pyenv.
 * @param oldest as `3.9`
 */
export function foundPythons(oldest = '3.9'): Python[] {
  const names = Array.from({ length: 12 }, (_, n) => `python3.${n + 9}`);
  const pyenv = path.join(process.env.PYENV_ROOT ?? path.join(os.homedir(), '.pyenv'), 'versions');
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...(existsSync(pyenv) ? readdirSync(pyenv).map((name) => path.join(pyenv, name, 'bin')) : []),
  ];
  const candidates = folders.flatMap((folder) => ['python3', ...names].map((name) => path.join(folder, name)));
  const byVersion = new Map<string, Python>();
  for (const candidate of candidates.filter((file) => existsSync(file))) {
    const named = /python(3\.\d+)$/.exec(candidate)?.[1];
    if (named !== undefined && byVersion.has(named)) continue;
    const version = versionOf(candidate);
    if (version !== null && !byVersion.has(version)) byVersion.set(version, { path: candidate, version });
  }
  return [...byVersion.values()]
    .filter(({ version }) => compareVersions(version, oldest) >= 0)
    .sort((a, b) => compareVersions(a.version, b.version));
}

/**
 * A Python with these packages, which pip installs if they are missing. If several workers ask at once, one installs and the others wait.
 * @param packages as pip takes them, such as `mypy==1.0`
 * @param oldest the minimum version of Python; the one that `python3` starts is preferred
 * @returns the reason if this machine cannot install them
 */
export function pythonWith(packages: readonly string[], oldest = '3.9'): PythonWith | { reason: string } {
  const all = foundPythons(oldest);
  const usual = versionOf('python3');
  const base = all.find(({ version }) => version === usual) ?? all.at(-1);
  if (base === undefined) return { reason: `there is no Python ${oldest} or later` };
  const name = createHash('sha256')
    .update([base.path, base.version, ...packages].join('\n'))
    .digest('hex')
    .slice(0, 16);
  const folder = path.join(CACHE, name);
  const stamp = path.join(folder, '.installed');
  const bin = path.join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const reason = existsSync(stamp)
    ? null
    : withFolderLock(folder, () => (existsSync(stamp) ? null : install(base.path, folder, packages, stamp)));
  if (reason !== null) return { reason };
  return { path: path.join(bin, 'python'), version: base.version, program: (program) => path.join(bin, program) };
}

function install(python: string, folder: string, packages: readonly string[], stamp: string): string | null {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const steps = [
    [python, '-m', 'venv', folder],
    [path.join(folder, 'bin', 'python'), ...PIP, ...packages],
  ];
  for (const [command, ...args] of steps.slice(0, packages.length === 0 ? 1 : 2)) {
    const { status, stdout, stderr, error } = spawnSync(command!, args, { encoding: 'utf8', timeout: 300_000 });
    if (status !== 0)
      return (error?.message ?? `${stderr}${stdout}`.trim().split('\n').slice(-3).join(' ')).slice(0, 500);
  }
  writeFileSync(stamp, packages.join('\n'));
  return null;
}

function versionOf(python: string): string | null {
  const ask = ['-I', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'];
  const { status, stdout } = spawnSync(python, ask, { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout.trim() : null;
}

function compareVersions(a: string, b: string): number {
  const [minorA, minorB] = [a, b].map((version) => Number(version.split('.')[1]));
  return minorA! - minorB!;
}
