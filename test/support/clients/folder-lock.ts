import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PAUSE_MS = 200;

/**
 * Runs the work while no other process on this machine does the same for the folder; waits until it is free. Takes over the lock of a dead
 * process.
 */
export function withFolderLock<T>(folder: string, work: () => T): T {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const file = path.join(os.tmpdir(), `waystation-client-${name}.lock`);
  while (!taken(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function taken(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function isHeld(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // The file is empty between its creation and its text.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
