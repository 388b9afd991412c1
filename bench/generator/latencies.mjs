/**
 * @param {readonly number[]} latenciesMs in the order of the responses
 * @returns {{firstMs: number, p50Ms: number, p99Ms: number, maxMs: number}} NaN if there was no response
 */
export function summarise(latenciesMs) {
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    firstMs: latenciesMs[0] ?? Number.NaN,
    p50Ms: rank(sorted, 0.5),
    p99Ms: rank(sorted, 0.99),
    maxMs: rank(sorted, 1),
  };
}

function rank(sorted, share) {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}
