import { seededThread } from '../corpus/seeded-thread.mjs';

/**
 * Fills the database through the public API: small threads of a few checkpoints, many threads a batch.
 * @param {{seed: number, from: number, to: number, steps: number, threadsPerBatch: number}} params threads `from` to `to`, exclusive
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ seed, from, to, steps, threadsPerBatch }, requests) {
  let position = from;
  let stored = 0;
  const next = () => {
    if (position >= to) return null;
    const end = Math.min(position + threadsPerBatch, to);
    const events = [];
    for (; position < end; position += 1) events.push(...seededThread(seed, position, steps));
    return requests.events(Buffer.from(`{"events":[${events.join(',')}]}`), events.length, () => {
      stored += events.length / steps;
    });
  };
  return { next, summary: () => ({ storedThreads: stored }) };
}
