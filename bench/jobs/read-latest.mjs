import { Random } from '../corpus/random.mjs';
import { corpusOf } from '../corpus/corpus.mjs';

/** One response in this many is compared with the report, byte by byte. */
const COMPARED_EVERY = 50;

/**
 * GETs the latest checkpoint of recorded threads.
 * @param {import('../corpus/recorded-thread.mjs').CorpusShape & {requests?: number, from?: number, to?: number, isBlind?: boolean}} params
 *   with `requests`: that many, of random threads; without: the threads `from` to `to` once each. `isBlind`: the server
 *   is the yardstick, whose responses mean nothing
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob(params, requests) {
  const chosen = corpusOf(params).threads.slice(params.from ?? 0, params.to);
  const wanted = chosen.map((thread) => wantedOf(thread));
  const random = new Random(params.seed);
  const total = params.requests ?? chosen.length;
  let sent = 0;
  let bytes = 0;
  const next = () => {
    if (sent === total) return null;
    const want = wanted[params.requests === undefined ? sent : random.below(wanted.length)];
    sent += 1;
    const isCompared = sent % COMPARED_EVERY === 1 && !params.isBlind;
    const accept = (answer) => {
      bytes += answer.length;
      return latestFault(answer, want, isCompared);
    };
    return requests.get(want.path, accept, isCompared);
  };
  return { next, summary: () => ({ answerBytes: Math.round(bytes / sent) }) };
}

function wantedOf(thread) {
  return {
    path: `/v1/runners/threads/${encodeURIComponent(thread.threadId)}/latest`,
    history: Buffer.from(thread.historyText(thread.turns - 1)),
  };
}

function latestFault(answer, want, isCompared) {
  if (answer.status !== 200) return `GET ${want.path}: status ${answer.status} instead of 200`;
  if (isCompared && !answer.body.includes(want.history))
    return `GET ${want.path}: the history is not what was reported`;
  if (isCompared || answer.length > 0) return null;
  return `GET ${want.path}: an empty answer`;
}
