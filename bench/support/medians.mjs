/**
 * One measurement of one round.
 * @typedef {object} Row
 * @property {string} workload
 * @property {string} target
 * @property {number} round           from 1
 * @property {string} label
 * @property {number} [threads]       stored when it was measured, if that differs within a workload
 */

/** @param {readonly number[]} numbers @returns {number} NaN if there are none; ignores NaN */
export function median(numbers) {
  const sorted = numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Combines the rounds of each measurement: the median of every figure.
 * @param {readonly Row[]} rows @returns {Row[]} in the order of their first occurrence
 */
export function medianRows(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.workload, row.target, row.label, row.threads]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((group) => joined(group));
}

function joined(group) {
  const names = Object.keys(group[0]).filter((name) => typeof group[0][name] === 'number');
  const figures = names.map((name) => [name, median(group.map((row) => row[name]))]);
  const isCutShort = group.some((row) => row.isCutShort);
  const faultCount = group.reduce((sum, row) => sum + row.faultCount, 0);
  return { ...group[0], ...Object.fromEntries(figures), isCutShort, faultCount, rounds: group.length };
}
