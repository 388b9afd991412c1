import { waitingRun } from '../corpus/waiting-run.mjs';

/**
 * Fills the database with waiting tool calls through the public API.
 * @param {{seed: number, from: number, to: number, runsPerBatch: number}} params runs `from` to `to`, exclusive
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ seed, from, to, runsPerBatch }, requests) {
  let position = from;
  const next = () => {
    if (position >= to) return null;
    const end = Math.min(position + runsPerBatch, to);
    const events = [];
    for (; position < end; position += 1) events.push(waitingRun(seed, position).event());
    return requests.events(Buffer.from(`{"events":[${events.join(',')}]}`), events.length);
  };
  return { next };
}
