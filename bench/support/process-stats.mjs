import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** /proc counts hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** @param {number} pid @returns {number} CPU milliseconds of the process with all its threads; NaN without /proc */
export function cpuMsOf(pid) {
  const stat = statOf(pid);
  return stat === null ? Number.NaN : stat.cpuMs;
}

/**
 * CPU milliseconds of a process's living threads, with microsecond precision.
 * @param {number} pid @returns {number} NaN without /proc
 */
export function exactCpuMsOf(pid) {
  const folder = `/proc/${pid}/task`;
  if (statOf(pid) === null) return Number.NaN;
  const times = readdirSync(folder).map((thread) => readOrNull(`${folder}/${thread}/schedstat`)?.split(' ')[0] ?? 0);
  return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0) / 1e6;
}

/**
 * CPU milliseconds of a process, its living children and those it has reaped.
 * @param {number} pid @returns {number} NaN without /proc
 */
export function cpuMsOfFamily(pid) {
  const parent = statOf(pid);
  if (parent === null) return Number.NaN;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null && stat.parentPid === pid);
  return children.reduce((sum, child) => sum + child.cpuMs, parent.cpuMs + parent.reapedCpuMs);
}

/**
 * @returns {{busyMs: number, totalMs: number}} CPU milliseconds of the whole machine since its start: all processes with
 *   stolen time, and the same plus idle time; NaN without /proc
 */
export function machineCpu() {
  const line = /^cpu +(.*)$/m.exec(readOrNull('/proc/stat') ?? '')?.[1];
  if (line === undefined) return { busyMs: Number.NaN, totalMs: Number.NaN };
  // user nice system idle iowait irq softirq steal; the rest is included in user and nice (proc(5)).
  const ticks = line.split(' ').slice(0, 8).map(Number);
  const totalMs = ticks.reduce((sum, count) => sum + count, 0) * MS_PER_TICK;
  return { busyMs: totalMs - (ticks[3] + ticks[4]) * MS_PER_TICK, totalMs };
}

/** @param {number} pid @returns {{nowBytes: number, peakBytes: number}} resident memory, now and its peak since the last reset */
export function memoryOf(pid) {
  const text = readOrNull(`/proc/${pid}/status`) ?? '';
  const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024;
  return { nowBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}

/** Resets the peak to the current memory. @param {number} pid */
export function resetPeakMemory(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function statOf(pid) {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The fields follow the process name, which is in parentheses and may contain anything (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (number) => Number(fields[number - 3]) * MS_PER_TICK;
  return { parentPid: Number(fields[1]), cpuMs: ticks(14) + ticks(15), reapedCpuMs: ticks(16) + ticks(17) };
}

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
