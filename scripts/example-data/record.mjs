// `npm run examples:record`: writes the example data that `waystation demo --seed` and the console load. Plays the stories on a server
// whose clock passes through a day, so that every time is the story's, and exports the threads.
import '../ensure-installed.mjs';
import '../ensure-built.mjs';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { threadPath } from '../demo/api.mjs';
import { craftedStories } from './crafted-stories.mjs';
import { PastServer } from './past-server.mjs';
import { Random } from './random.mjs';
import { supportStories } from './support-stories.mjs';

const FILE = path.resolve(import.meta.dirname, '../../src/modules/examples/example-data.jsonl.gz');
/** The end of the day. Loading shifts all times so that it becomes the present. */
const NOW_MS = Date.UTC(2026, 0, 15, 12);
const DAY_MS = 24 * 3_600_000;
const SUPPORT_STORIES = 70;
/** Actions of different threads within this time are played together. */
const TOGETHER_MS = 20_000;
/** The checksum of an exported line, dropped because the line's times will change. */
const CHECK = /,"check":"[\w-]+"\}$/;

const stories = [...craftedStories(NOW_MS), ...supportStories(SUPPORT_STORIES, NOW_MS, new Random(4711))];
const past = await PastServer.start(NOW_MS - DAY_MS - 3_600_000);
await play(stories);
const lines = [JSON.stringify({ recorded_at_ms: NOW_MS })];
for (const { threadId } of stories) lines.push(...(await rowsOf(threadId)));
await past.stop();
writeFileSync(FILE, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
console.log(`${stories.length} threads, ${lines.length} lines: ${path.relative(process.cwd(), FILE)}`);

async function play(all) {
  const acts = all.flatMap(({ acts: own, laterMs, threadId }) => own.map((act) => ({ ...act, laterMs, threadId })));
  // The sort is stable: simultaneous actions of one thread keep their order.
  acts.sort((a, b) => a.atMs - b.atMs);
  for (let from = 0; from < acts.length;) {
    const first = acts[from];
    let to = from + 1;
    while (to < acts.length && acts[to].atMs - first.atMs < TOGETHER_MS && isOther(acts, from, to)) to++;
    await past.setClock(Math.min(NOW_MS, Math.round(first.atMs)));
    await Promise.all(acts.slice(from, to).map(perform));
    from = to;
  }
  await past.setClock(NOW_MS);
}

/** Whether no action since `from` belongs to the same thread. */
function isOther(acts, from, to) {
  for (let at = from; at < to; at++) if (acts[at].threadId === acts[to].threadId) return false;
  return true;
}

async function perform({ play: act, laterMs, threadId }) {
  const { status, text } = await act(past.api, laterMs);
  if (status >= 300 || status === 207)
    throw new Error(`The story of ${threadId} was refused: ${status} ${text.slice(0, 300)}`);
}

/** The exported rows of a thread, without the first and last line. */
async function rowsOf(threadId) {
  const { text } = await past.api.get(`/v1${threadPath(threadId, '/export')}`);
  const rows = text.trimEnd().split('\n').slice(1, -1);
  return rows.map((line) => line.replace(CHECK, '}'));
}
