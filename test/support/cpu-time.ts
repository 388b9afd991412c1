import { readFileSync } from 'node:fs';

/** Of a clock tick in /proc, on every Linux of today. */
const TICK_MS = 10;

/** Milliseconds that this process computes while it does the work; however busy the machine is meanwhile. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The same of work that ends later. */
export async function cpuMsOfLater(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds that another process computes, all its threads together, while work of this one goes on; 0 where there is no /proc. */
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
  // The second field is the name of the program, which may hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
