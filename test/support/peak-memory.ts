import { readFileSync, writeFileSync } from 'node:fs';

/** Forgets the peak so far (Linux only) and answers what the process holds now, in megabytes. */
export function resetPeak(pid: number): number {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakMegabytes(pid);
}

/** The most that the process has held since then, in megabytes; 0 where nobody tells. */
export function peakMegabytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}
