import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Field 22 of /proc/PID/stat, counted from behind the name, which may hold blanks (proc(5)). */
const START_TIME_PLACE = 19;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const HAS_PROC = existsSync(BOOT_ID);
const PS_PATH = '/bin:/usr/bin';
const PS_TIMEOUT_MS = 5_000;
const KILL_WAIT_MS = 500;
const LOOK_MS = 20;

/** What tells a process from a later one with the same number; null where the system does not say. */
export function startOf(pid: number): string | null {
  return HAS_PROC ? startByProc(pid) : startByPs(pid);
}

function startByProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const bootId = readFileSync(BOOT_ID, 'utf8').trim();
    return `${bootId}/${fields[START_TIME_PLACE]}`;
  } catch {
    return null;
  }
}

/** For systems without /proc, as macOS: the second in which the process began, in the same words whatever the settings of who asks. */
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

/** Signals a process group. Answers false when there is none. */
export function signalGroup(processGroup: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-processGroup, signal);
  } catch {
    return false;
  }
}

/**
 * Kills a process group and waits until it is gone. Not for long: where nobody waits for orphans, as in many containers, what was
 * killed stays in the list for ever, and does nothing any more.
 */
export async function killGroup(processGroup: number): Promise<void> {
  signalGroup(processGroup, 'SIGKILL');
  const deadline = Date.now() + KILL_WAIT_MS;
  while (signalGroup(processGroup, 0) && Date.now() < deadline) await sleep(LOOK_MS);
}

/**
 * The processes that were started with this variable in their environment, which they hand on to their own children. Finds what has left
 * its process group, and what was started in the moment before its number could be written down. Linux only; elsewhere none.
 */
export function processesWith(name: string, values: ReadonlySet<string>): number[] {
  return processNumbers().filter((pid) => {
    const variables = environmentOf(pid).split('\0');
    return variables.some((text) => text.startsWith(`${name}=`) && values.has(text.slice(name.length + 1)));
  });
}

function processNumbers(): number[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

/** Empty for processes of other users, and for those that are gone by now. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
