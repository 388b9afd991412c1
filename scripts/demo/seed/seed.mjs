import { threadPath } from '../api.mjs';
import { check, say } from '../pages.mjs';
import { craftedStories } from './crafted-stories.mjs';
import { PastServer } from './past-server.mjs';
import { Random } from './random.mjs';
import { realStories } from './real-histories.mjs';
import { seedSurroundings } from './surroundings.mjs';
import { supportStories } from './support-stories.mjs';

const DAY_MS = 24 * 3_600_000;
/** A server runs two imports at a time. */
const IMPORTS = 2;
/** Acts of different threads that happen within this time are played together. */
const TOGETHER_MS = 20_000;

/**
 * Fills a server with runs of the last day. They are played on a server whose clock goes through that day, then exported and imported,
 * so that every time is that of the story.
 */
export async function seed(api) {
  const startedMs = performance.now();
  const nowMs = Date.now();
  const random = new Random(4711);
  const real = realStories(nowMs, random);
  const stories = [...craftedStories(nowMs), ...supportStories(real.length > 0 ? 40 : 70, nowMs, random), ...real];
  const past = await PastServer.start(nowMs - DAY_MS - 3_600_000);
  await play(past, stories, nowMs);
  const ids = stories.map(({ threadId }) => threadId);
  const { imported, known } = await move(past.api, api, ids);
  await past.stop();
  await seedSurroundings(api, Date.now());
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  check(imported + known === ids.length, `${imported} threads of the last day, in ${seconds} s`);
  if (known > 0) say(`${known} were there already.`);
}

async function play(past, stories, nowMs) {
  const acts = stories.flatMap(({ acts: own, laterMs, threadId }) => own.map((act) => ({ ...act, laterMs, threadId })));
  // The sort is stable: acts of one thread at one time keep their order.
  acts.sort((a, b) => a.atMs - b.atMs);
  for (let from = 0; from < acts.length;) {
    const first = acts[from];
    let to = from + 1;
    while (to < acts.length && acts[to].atMs - first.atMs < TOGETHER_MS && isOther(acts, from, to)) to++;
    await past.setClock(Math.min(nowMs, Math.round(first.atMs)));
    await Promise.all(acts.slice(from, to).map((act) => perform(past.api, act)));
    from = to;
  }
  await past.setClock(nowMs);
}

/** Whether no act since the first is of the same thread. */
function isOther(acts, from, to) {
  for (let at = from; at < to; at++) if (acts[at].threadId === acts[to].threadId) return false;
  return true;
}

async function perform(api, { play: act, laterMs, threadId }) {
  const { status, text } = await act(api, laterMs);
  if (status >= 300 || status === 207)
    throw new Error(`The story of ${threadId} was refused: ${status} ${text.slice(0, 300)}`);
}

/** The newest first, so that a look at the page soon finds something. */
async function move(from, to, ids) {
  const waiting = [...ids];
  const counts = { imported: 0, known: 0 };
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const { text } = await from.get(`/v1${threadPath(id, '/export')}`);
      const answer = await to.post('/v1/threads/import', text, 'application/x-ndjson');
      if (answer.status === 409) counts.known += 1;
      else if (answer.status === 201) counts.imported += 1;
      else throw new Error(`${id} was not imported: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: IMPORTS }, worker));
  return counts;
}
