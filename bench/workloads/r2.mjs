import { setTimeout as pause } from 'node:timers/promises';
import { listQueries } from './r2-queries.mjs';

const SEED = 41;
const STEPS = 5;
const SEED_SECONDS = 900;
const FEW_THREADS = 1000;
const MANY_THREADS = 100_000;

/** @type {import('./workload.mjs').Workload} */
export const r2 = {
  name: 'R2',
  title: 'GET /threads?limit=50 with 100,000 threads x 5 checkpoints stored, and with 1,000',
  targets: ['sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const many = session.scaled(MANY_THREADS, 1000);
  const few = Math.min(FEW_THREADS, many / 5);
  await session.startServer();
  const atFew = await seed(session, 0, few);
  const fewResults = await measureLists(session, atFew);
  const atMany = await seed(session, few, many);
  return [...fewResults, ...(await measureLists(session, atMany))];
}

/** Returns how many threads are stored, and a time at which half of the new ones were. */
async function seed(session, from, to) {
  const half = Math.round((from + to) / 2);
  const first = await seedPart(session, from, half);
  await pause(20);
  const middleIso = new Date().toISOString();
  await pause(20);
  const second = first === half ? await seedPart(session, half, to) : first;
  return { seed: SEED, threads: second, middleIso };
}

async function seedPart(session, from, to) {
  const params = { seed: SEED, from, to, steps: STEPS, threadsPerBatch: 50 };
  const { summary, isCutShort } = await session.load('seed-threads', params, {
    clients: 8,
    maxSeconds: SEED_SECONDS / 2,
  });
  if (isCutShort)
    console.error(`  seeding stopped after ${SEED_SECONDS / 2} s at ${from + summary.storedThreads} threads`);
  return from + summary.storedThreads;
}

async function measureLists(session, seeded) {
  const { threads } = seeded;
  const plain = { path: '/threads?limit=50', expected: { items: 50 } };
  await list(session, 'warm-up', plain, 200, 8);
  const rows = [
    await list(session, 'one client', plain, 1000, 1),
    await list(session, 'eight clients', plain, 2000, 8),
  ];
  rows.push(await nextPage(session, rows[0].summary.nextCursor));
  for (const { name, query, expected } of listQueries(seeded)) {
    const row = await list(session, name, { path: `/threads?${query}`, expected }, 100, 1);
    rows.push({ ...row, isDetail: true });
  }
  return rows.map((row) => ({ ...row, threads }));
}

function nextPage(session, cursor) {
  const path = `/threads?limit=50&cursor=${encodeURIComponent(cursor)}`;
  return list(session, 'second page', { path, expected: { items: 50 } }, 100, 1);
}

function list(session, label, params, requests, clients) {
  return session.measure(label, 'list-threads', { ...params, requests }, { clients, maxSeconds: 5 });
}
