import { readFileSync } from 'node:fs';

/** Length of a clock tick in /proc on every current Linux. */
const TICK_MS = 10;

/** CPU time of this process during the work, in milliseconds; independent of the machine's load. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The same for asynchronous work. */
export async function cpuMsOfLater(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** CPU time of all threads of another process during the work, in milliseconds; 0 if there is no /proc. */
export async function cpuMsOfProcess(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = computedMs(pid);
  await work();
  return computedMs(pid) - before;
}

function computedMs(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  // The second field is the program's name, which may contain blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
