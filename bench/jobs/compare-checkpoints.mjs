import { isDeepStrictEqual } from 'node:util';
import { Random } from '../corpus/random.mjs';
import { corpusOf } from '../corpus/corpus.mjs';

/**
 * Reads all checkpoints of a sample of recorded threads and compares each with what was reported: the histories byte by
 * byte, everything else by value.
 * @param {import('../corpus/recorded-thread.mjs').CorpusShape & {sample: number}} params
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob(params, requests) {
  const threads = [...corpusOf(params).threads];
  const random = new Random(params.seed);
  let left = Math.min(params.sample, threads.length);
  let compared = 0;
  const next = () => {
    if (left === 0) return null;
    left -= 1;
    const [thread] = threads.splice(random.below(threads.length), 1);
    const path = `/threads/${encodeURIComponent(thread.threadId)}/checkpoints?history=full`;
    const accept = (answer) => {
      compared += thread.turns;
      const fault = answer.status === 200 ? checkpointsFault(answer.body, thread) : `status ${answer.status}`;
      return fault === null ? null : `GET ${path}: ${fault}`;
    };
    return requests.get(path, accept, true);
  };
  return { next, summary: () => ({ comparedCheckpoints: compared }) };
}

function checkpointsFault(body, thread) {
  const { items } = JSON.parse(body.toString());
  if (items.length !== thread.turns) return `${items.length} checkpoints instead of ${thread.turns}`;
  let position = 0;
  for (let turn = 0; turn < thread.turns; turn += 1) {
    position = body.indexOf(thread.historyText(turn), position);
    if (position < 0) return `the history of step ${turn} is not what was reported`;
    position += 1;
    const fault = fieldsFault(items[turn], thread, turn);
    if (fault !== null) return fault;
  }
  return null;
}

function fieldsFault(item, thread, turn) {
  const reported = { ...thread.scalarFields(turn), history_meta: JSON.parse(thread.metaArrayText(turn)) };
  for (const [name, value] of Object.entries(reported)) {
    if (!isDeepStrictEqual(item[name], value)) return `${name} of step ${turn} is not what was reported`;
  }
  return null;
}
