import { corpusOf } from '../corpus/corpus.mjs';

const CLIENTS = 8;
const MAX_SECONDS = 30;

/** @type {import('./workload.mjs').Workload} */
export const r3 = {
  name: 'R3',
  title: 'one thread of 200 steps and 400 messages, after a restart',
  targets: ['sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const shape = { seed: 31, prefix: 'r3', threads: 1, turns: session.scaled(200, 20) };
  await session.startServer();
  await session.load('record-turns', shape, { clients: 1 });
  await session.load('compare-checkpoints', { ...shape, sample: 1 }, { clients: 1 });
  const reads = readsOf(corpusOf(shape).threads[0]);
  await session.restartServer();
  const rows = [];
  for (const read of reads.small) rows.push(await get(session, 'measure', read, read.requests, CLIENTS));
  rows.push(await growth(session, reads, { label: 'checkpoints full, one client', requests: 4, clients: 1 }));
  rows.push(await growth(session, reads, { label: 'checkpoints full', requests: 16, clients: CLIENTS }));
  return rows;
}

/** Uses a fresh process that has served a few small responses: memory taken before would hide the growth. */
async function growth(session, reads, { label, requests, clients }) {
  await session.restartServer();
  await get(session, 'measure', reads.small[0], 50, CLIENTS);
  return get(session, 'measureMemory', { ...reads.full, label }, requests, clients);
}

async function get(session, how, { label, path, minBytes }, requests, clients) {
  const row = await session[how](label, 'get-path', { path, minBytes, requests }, { clients, maxSeconds: MAX_SECONDS });
  return { ...row, coldMs: row.firstMs };
}

function readsOf(thread) {
  const id = encodeURIComponent(thread.threadId);
  const historyBytes = Buffer.byteLength(thread.historyText(thread.turns - 1));
  const allHistories = Array.from({ length: thread.turns }, (_, turn) => Buffer.byteLength(thread.historyText(turn)));
  const checkpoints = (history) => `/threads/${id}/checkpoints?history=${history}`;
  return {
    small: [
      { label: 'latest', path: `/v1/runners/threads/${id}/latest`, minBytes: historyBytes, requests: 800 },
      { label: 'detail', path: `/threads/${id}`, minBytes: historyBytes, requests: 200 },
      { label: 'checkpoints none', path: checkpoints('none'), minBytes: 2, requests: 400 },
      { label: 'checkpoints new', path: checkpoints('new'), minBytes: thread.messageBytes(), requests: 200 },
    ],
    full: {
      label: 'checkpoints full',
      path: checkpoints('full'),
      minBytes: allHistories.reduce((sum, bytes) => sum + bytes, 0),
    },
  };
}
