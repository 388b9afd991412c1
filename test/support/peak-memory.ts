import { readFileSync, writeFileSync } from 'node:fs';

/** Resets the peak (Linux only). @returns the process's current memory in megabytes */
export function resetPeak(pid: number): number {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakMegabytes(pid);
}

/** The process's peak memory since then, in megabytes; 0 if unknown. */
export function peakMegabytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}
