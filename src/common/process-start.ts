import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Field 22 of /proc/PID/stat, counted from after the name. */
const START_TIME_PLACE = 19;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const HAS_PROC = existsSync(BOOT_ID);
const PS_PATH = '/bin:/usr/bin';
const PS_TIMEOUT_MS = 5_000;
let ownStart: string | null = null;

/** Distinguishes a process from a later one with the same pid; null if the system does not say. */
export function startOf(pid: number): string | null {
  // A server checks itself repeatedly.
  if (pid === process.pid) return (ownStart ??= readStartOf(pid));
  return readStartOf(pid);
}

function readStartOf(pid: number): string | null {
  return HAS_PROC ? startByProc(pid) : startByPs(pid);
}

function startByProc(pid: number): string | null {
  try {
    const start = statOf(pid)[START_TIME_PLACE];
    return `${readFileSync(BOOT_ID, 'utf8').trim()}/${start}`;
  } catch {
    return null;
  }
}

/**
 * The fields of /proc/PID/stat from the third on: the second, the name, may contain blanks (proc(5)).
 * @throws if there is no such process, or no /proc
 */
export function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** For systems without /proc, such as macOS: the second in which the process began, in a text independent of the caller's locale. */
export function startByPs(pid: number): string | null {
  const env = { PATH: PS_PATH, LC_ALL: 'C', TZ: 'UTC' };
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  try {
    const start = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, stdio, timeout: PS_TIMEOUT_MS });
    return start.toString('utf8').trim() || null;
  } catch {
    return null;
  }
}
