import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { statOf } from '../../../common/process-start.js';

/** Field 5 of /proc/PID/stat, counted from after the name. */
const GROUP_PLACE = 2;
const KILL_WAIT_MS = 500;
const LOOK_MS = 20;
/** Processes started during the search are found in the next round. */
const HUNTS = 20;
const BETWEEN_HUNTS_MS = 50;

/** The process group of a process; null if the system does not say. Linux only. */
export function groupOf(pid: number): number | null {
  try {
    return Number(statOf(pid)[GROUP_PLACE]);
  } catch {
    return null;
  }
}

/** Signals a process group. Returns false if there is none. */
export function signalGroup(processGroup: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-processGroup, signal);
  } catch {
    return false;
  }
}

/**
 * Kills a process group and waits briefly until it is gone. Where no process reaps orphans, as in many containers, killed processes
 * stay listed forever but do nothing.
 */
export async function killGroup(processGroup: number): Promise<void> {
  signalGroup(processGroup, 'SIGKILL');
  const deadline = Date.now() + KILL_WAIT_MS;
  while (signalGroup(processGroup, 0) && Date.now() < deadline) await sleep(LOOK_MS);
}

/** Signals each of these processes; ignores those that are gone. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone in the meantime.
    }
  }
}

/** A variable that identifies the owner of a process. */
export interface OwnerMark {
  name: string;
  value: string;
}

/** Kills the processes that `processesWith` finds, until there are none. Gives up soon: processes that cannot be killed must not block. */
export async function killAllWith(name: string, values: ReadonlySet<string>, owner?: OwnerMark): Promise<void> {
  for (let hunt = 0; hunt < HUNTS; hunt++) {
    const found = processesWith(name, values, owner);
    if (found.length === 0) return;
    signalAll(found, 'SIGKILL');
    await sleep(BETWEEN_HUNTS_MS);
  }
}

/**
 * This user's processes that were started with this variable in their environment, which their children inherit. Also finds processes that
 * left their group, or whose number was not stored before a crash. Linux only; elsewhere none.
 * @param owner excludes processes with another value of this variable
 */
export function processesWith(name: string, values: ReadonlySet<string>, owner?: OwnerMark): number[] {
  return ownProcesses().filter((pid) => {
    const variables = environmentOf(pid).split('\0');
    const value = valueOf(variables, name);
    if (value === undefined || !values.has(value)) return false;
    return owner === undefined || (valueOf(variables, owner.name) ?? owner.value) === owner.value;
  });
}

function valueOf(variables: readonly string[], name: string): string | undefined {
  return variables.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
}

function ownProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => pid !== process.pid && isOfThisUser(pid));
  } catch {
    return [];
  }
}

/** Root could read everybody's variables. */
function isOfThisUser(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** Empty for processes that may not be read, or are gone. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
