import { Random, derivedSeed } from '../corpus/random.mjs';
import { AGENTS, MODELS } from '../corpus/vocabulary.mjs';

/**
 * POSTs batches of small events that start and complete each of their threads.
 * @param {{seed: number, prefix: string, batches: number, eventsPerBatch: number}} params `eventsPerBatch` even
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob(params, requests) {
  const bodies = Array.from({ length: params.batches }, (_, number) => batchBody(params, number));
  let sent = 0;
  return {
    next: () => (sent === bodies.length ? null : requests.events(bodies[sent++], params.eventsPerBatch)),
    summary: () => ({ bodyBytes: bodies[0].length }),
  };
}

function batchBody({ seed, prefix, eventsPerBatch }, number) {
  const random = new Random(derivedSeed(seed, number));
  const events = [];
  while (events.length < eventsPerBatch) {
    const thread_id = `${prefix}-${random.uuid()}`;
    const model = random.pick(MODELS);
    const started = { thread_id, trace_id: random.uuid(), agent_id: random.pick(AGENTS), model };
    events.push({ type: 'thread_started', data: started });
    events.push({ type: 'thread_completed', data: { thread_id, tokens_used: random.below(90_000), model } });
  }
  return Buffer.from(JSON.stringify({ events }));
}
