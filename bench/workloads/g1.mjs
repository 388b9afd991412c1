import { corpusOf } from '../corpus/corpus.mjs';

const PER_SECOND = 4000;

/** @type {import('./workload.mjs').Workload} */
export const g1 = {
  name: 'G1',
  title: 'small GETs: what surrounds a handler, beside the empty route of the yardstick',
  targets: ['yardstick', 'baseline', 'sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => (session.isYardstick ? measureYardstick(session) : measureServer(session)),
};

async function measureYardstick(session) {
  await session.startServer();
  return [await measureGet(session, 'empty route', { path: '/health', minBytes: 2 })];
}

async function measureServer(session) {
  const shape = { seed: 17, prefix: 'g1', threads: 1, turns: 1 };
  await session.startServer();
  await session.load('record-turns', shape, { clients: 1 });
  const [thread] = corpusOf(shape).threads;
  const path = `/v1/runners/threads/${encodeURIComponent(thread.threadId)}/latest`;
  const etag = await etagOf(session.server, path);
  const unchanged = { path, minBytes: 0, status: 304, headers: { 'If-None-Match': etag } };
  return [
    await measureGet(session, 'latest, 304', unchanged),
    await measureGet(session, 'latest, 2 messages', { path, minBytes: thread.historyText(0).length }),
    await measureGet(session, 'health', { path: '/health', minBytes: 2 }),
  ];
}

/**
 * Measures after a warm-up with the same requests, at the same rate for all servers. Without a fixed rate, a faster server finds the
 * generator awake and spends less on waking it.
 */
async function measureGet(session, label, request) {
  await session.load('get-path', { ...request, requests: session.scaled(40_000, 2000) });
  const requests = session.scaled(16_000, 4000);
  return session.measure(label, 'get-path', { ...request, requests }, { perSecond: PER_SECOND });
}

async function etagOf({ port, token }, path) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  const etag = answer.headers.get('etag');
  if (etag === null) throw new Error(`GET ${path}: status ${answer.status} without an ETag`);
  return etag;
}
