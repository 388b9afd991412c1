import { AGENTS } from '../corpus/vocabulary.mjs';
import { waitingRun } from '../corpus/waiting-run.mjs';

const SEED = 51;
const PAGE = 50;
const FEW_PENDING = 100;
const MANY_PENDING = 10_000;
/** Approvals used up by measuring decisions. */
const DECISIONS = 200;
const SEED_SECONDS = 300;

/** @type {import('./workload.mjs').Workload} */
export const approvals = {
  name: 'A1',
  title: 'approvals with 10,000 pending, each in a thread of its own, and with 100: listing and deciding',
  targets: ['sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const many = session.scaled(MANY_PENDING, 1000);
  await session.startServer();
  await seed(session, 0, FEW_PENDING + DECISIONS);
  const fewResults = await measureAt(session, { from: 0, to: FEW_PENDING + DECISIONS, pending: FEW_PENDING });
  await seed(session, FEW_PENDING + DECISIONS, many + 2 * DECISIONS);
  const manyResults = await measureAt(session, {
    from: FEW_PENDING + DECISIONS,
    to: many + 2 * DECISIONS,
    pending: many,
  });
  return [...fewResults, ...manyResults];
}

async function seed(session, from, to) {
  const params = { seed: SEED, from, to, runsPerBatch: 50 };
  await session.load('seed-approvals', params, { clients: 8, maxSeconds: SEED_SECONDS });
  await session.storage.settle();
}

/** Measures decisions first; the lists then have `pending` left. */
async function measureAt(session, { from, to, pending }) {
  const stride = Math.floor((to - from) / DECISIONS);
  const decide = { seed: SEED, from, to: from + stride * DECISIONS, stride };
  const rows = [await session.measure('decide, one client', 'decide-approvals', decide, { clients: 1 })];
  const page = { query: `limit=${PAGE}`, items: PAGE };
  await list(session, 'warm-up', page, 100, 8);
  rows.push(await list(session, 'list, one client', page, 500, 1));
  rows.push(await list(session, 'list, eight clients', page, 1000, 8));
  rows.push(await list(session, 'second page', nextOf(page, rows[1]), 200, 1));
  rows.push(await list(session, 'of one agent', ofOne({ agent_id: AGENTS[0] }, 5), 200, 1));
  const { thread_id } = waitingRun(SEED, to - 1);
  rows.push(await list(session, 'of one thread', ofOne({ thread_id }, 1), 200, 1));
  return rows.map((row) => ({ ...row, threads: pending }));
}

function nextOf({ query, items }, { summary }) {
  return { query: `${query}&cursor=${encodeURIComponent(summary.nextCursor)}`, items };
}

function ofOne(filter, items) {
  return { query: `limit=${items}&${new URLSearchParams(filter)}`, items, oneOf: filter };
}

function list(session, label, { query, ...expected }, requests, clients) {
  const params = { path: `/approvals?${query}`, requests, ...expected };
  return session.measure(label, 'list-approvals', params, { clients, maxSeconds: 10 });
}
