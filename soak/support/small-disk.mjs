import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** An in-memory file system of a few MiB. Needs root. */
export class SmallDisk {
  #ballast;

  /** Use `mount`. */
  constructor(folder) {
    this.folder = folder;
    this.#ballast = path.join(folder, 'ballast');
  }

  /**
   * Mounts it over a folder, with a ballast file that takes part of it.
   * @param {string} folder @param {{mib: number, ballastMib?: number, cleanup: import('../../bench/support/cleanup.mjs').Cleanup}} options
   * @returns {SmallDisk | string} or why this machine cannot do it
   */
  static mount(folder, { mib, ballastMib = 0, cleanup }) {
    if (process.getuid?.() !== 0) return 'a small disk can only be mounted by root';
    const mounted = mountWith(['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder]);
    if (mounted !== null) return `a small disk cannot be mounted here: ${mounted}`;
    cleanup.add(async () => unmount(folder));
    chmodSync(folder, 0o700);
    const disk = new SmallDisk(folder);
    writeFileSync(disk.#ballast, Buffer.alloc(ballastMib * 1024 * 1024));
    return disk;
  }

  /** Grows the ballast. @param {number} leftMib to leave free */
  fill(leftMib) {
    const { bavail, bsize } = statfsSync(this.folder);
    const bytes = bavail * bsize - leftMib * 1024 * 1024;
    writeFileSync(this.#ballast, Buffer.alloc(Math.max(0, bytes)));
    return bytes;
  }

  /** Frees the ballast's space. */
  free() {
    rmSync(this.#ballast);
  }
}

/** Mounts a folder read-only. @returns {string | null} why it cannot be done */
export function mountReadOnly(folder, cleanup) {
  if (process.getuid?.() !== 0) return 'a folder can only be mounted read-only by root';
  const failure = mountWith(['--bind', folder, folder]);
  if (failure !== null) return `a folder cannot be mounted here: ${failure}`;
  cleanup.add(async () => unmount(folder));
  return mountWith(['-o', 'remount,bind,ro', folder]);
}

/** @param {string} folder */
export function unmount(folder) {
  spawnSync('umount', ['-l', folder]);
}

function mountWith(args) {
  const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}
