import { Random } from '../corpus/random.mjs';
import { corpusOf } from '../corpus/corpus.mjs';

/**
 * Reports the checkpoints of all threads, one POST each. Threads are interleaved at random; like an agent, each waits for
 * the response before it sends the next turn.
 * @param {import('../corpus/recorded-thread.mjs').CorpusShape & {onlyTurn?: number}} params `onlyTurn`: one POST per thread,
 *   with the whole checkpoint of this turn
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob(params, requests) {
  const corpus = corpusOf(params);
  const { onlyTurn } = params;
  const bodies =
    onlyTurn === undefined ? corpus.bodies() : corpus.threads.map((thread) => [thread.batchBody(onlyTurn)]);
  const random = new Random(params.seed);
  const ready = bodies.map((_, thread) => ({ thread, turn: 0 }));
  const next = () => {
    const entry = takeAny(ready, random);
    if (entry === null) return null;
    return requests.events(bodies[entry.thread][entry.turn], 1, () => {
      entry.turn += 1;
      if (entry.turn < bodies[entry.thread].length) ready.push(entry);
    });
  };
  return { next, summary: () => ({ messageBytes: corpus.messageBytes(), bodyBytes: meanLength(bodies.flat()) }) };
}

function takeAny(list, random) {
  if (list.length === 0) return null;
  const chosen = random.below(list.length);
  const entry = list[chosen];
  list[chosen] = list[list.length - 1];
  list.pop();
  return entry;
}

function meanLength(buffers) {
  return buffers.reduce((sum, buffer) => sum + buffer.length, 0) / buffers.length;
}
