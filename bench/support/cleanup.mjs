import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Undoes the benchmark's effects, however it ends: its processes and folders. */
export class Cleanup {
  /** @type {Set<() => Promise<void>>} */
  #undos = new Set();
  /** @type {Set<number>} */
  #pids = new Set();
  /** @type {string[]} */
  #folders = [];

  constructor() {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ]) {
      process.once(signal, () => void this.run().finally(() => process.exit(code)));
    }
    process.on('exit', () => this.#runAtOnce());
  }

  /** @param {number} pid a process that must not outlive the benchmark @returns {() => void} to be called when it has ended */
  track(pid) {
    this.#pids.add(pid);
    return () => this.#pids.delete(pid);
  }

  /** @param {() => Promise<void>} undo @returns {() => void} forgets it */
  add(undo) {
    this.#undos.add(undo);
    return () => this.#undos.delete(undo);
  }

  /** @param {string} name @returns {string} a new folder that other users may enter, because PostgreSQL runs as one */
  makeFolder(name) {
    const folder = mkdtempSync(path.join(os.tmpdir(), `waystation-bench-${name}-`));
    chmodSync(folder, 0o755);
    this.#folders.push(folder);
    return folder;
  }

  /** Undoes everything, newest first. */
  async run() {
    const undos = [...this.#undos].reverse();
    this.#undos.clear();
    for (const undo of undos) await undo().catch((error) => console.error(`clean-up: ${error.message}`));
    this.#runAtOnce();
  }

  #runAtOnce() {
    for (const pid of this.#pids) killIfAlive(pid);
    this.#pids.clear();
    for (const folder of this.#folders.splice(0))
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function killIfAlive(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
