import { storageFigures } from './storage-figures.mjs';

/** The corpus of W1, also read by R1. */
export function w1Shape(session) {
  return { seed: 11, prefix: 'w1', threads: session.scaled(200, 8), turns: 30 };
}

/** @type {import('./workload.mjs').Workload} */
export const w1 = {
  name: 'W1',
  title: '200 threads x 30 turns, one POST a turn with the whole history so far',
  targets: ['yardstick', 'baseline', 'sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => measureRecording(session, w1Shape(session)),
};

/** @type {import('./workload.mjs').Workload} */
export const w1Trimmed = {
  name: 'W1T',
  title: 'W1 with histories trimmed from the front: the system message and the last 39 messages',
  targets: ['sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => measureRecording(session, { ...w1Shape(session), window: 40 }),
};

/** @type {import('./workload.mjs').Workload} */
export const w1Noticed = {
  name: 'W1N',
  title: 'W1 with two enabled notices, for neither of which it has an event',
  targets: ['sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => measureRecording(session, w1Shape(session), createNotices),
};

/** Nobody listens there; nothing is sent. */
const NOTICE_URL = 'http://127.0.0.1:9/';
const NOTICES = [['effect_in_doubt'], ['run_completed', 'run_failed', 'run_budget_exceeded']];

async function createNotices({ server: { port, token } }) {
  for (const events of NOTICES) {
    const body = JSON.stringify({ name: events[0], url: NOTICE_URL, events });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { status } = await fetch(`http://127.0.0.1:${port}/v1/notices`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`a notice was not created (${status})`);
  }
}

/** Turns of the threads that show the cost of length; measures the last 30, as many as the short threads have. */
const LONG_TURNS = 300;
/** Threads of that length whose reports carry the whole history, 0.8 MB each: enough to measure. */
const WHOLE_THREADS = 20;
/** Keeps the long threads in memory, too, so that reading is not measured. */
const ROOMY = { WAYSTATION_CACHE_BYTES: String(1024 * 1024 * 1024) };

/** @type {import('./workload.mjs').Workload} */
export const w1Based = {
  name: 'W1D',
  title: 'W1 with bases: one POST a turn with its two new messages; and turns 270 to 300 of long threads',
  targets: ['sqlite', 'postgres'],
  isRepeated: true,
  measure: async (session) => {
    await session.startServer([], ROOMY);
    const short = { ...w1Shape(session), hasBases: true };
    const long = { ...short, seed: 13, prefix: 'w1-long', turns: LONG_TURNS, from: LONG_TURNS - short.turns };
    await session.load('record-turns', warmUpOf(session, short));
    const measured = [await session.measure('', 'record-turns', short), await measureWarm(session, short)];
    const measureLong = async (label, shape) => {
      await session.load('record-turns', { ...shape, onlyTurn: shape.from - 1 }, { clients: 4 });
      measured.push(await session.measure(`${LONG_TURNS} turns${label}`, 'record-turns', shape));
    };
    await measureLong('', long);
    await measureLong(', whole', {
      ...{ ...long, seed: 14, prefix: 'w1-whole', hasBases: false },
      threads: session.scaled(WHOLE_THREADS, 2),
    });
    await session.load('compare-checkpoints', { ...short, sample: 10 }, { clients: 2 });
    await session.restartServer();
    await session.load('record-turns', warmUpOf(session, { ...short, prefix: 'w1-usual' }));
    await measureLong(', usual cache', { ...long, seed: 15, prefix: 'w1-usual' });
    return measured;
  },
};

function warmUpOf(session, shape) {
  return { ...shape, seed: 12, prefix: `${shape.prefix}-warm`, threads: session.scaled(50, 4) };
}

/** Repeats the load after three times as many requests, when the engine has compiled its code. */
async function measureWarm(session, shape) {
  const more = { ...shape, seed: 16, prefix: `${shape.prefix}-more`, threads: 2 * shape.threads };
  const warmed = await session.load('record-turns', more);
  const again = { ...shape, seed: 18, prefix: `${shape.prefix}-again` };
  const measured = await session.measure('warm', 'record-turns', again);
  return { ...measured, warmUpBytes: warmed.summary.messageBytes };
}

/** @param prepare prepares the server before the load */
async function measureRecording(session, shape, prepare = async () => undefined) {
  await session.startServer();
  await prepare(session);
  const warmed = await session.load('record-turns', warmUpOf(session, shape));
  const early = await session.measure('', 'record-turns', shape);
  const isTrimmed = shape.window !== undefined;
  const restBytes = isTrimmed || session.isYardstick ? Number.NaN : await session.restingBytes();
  const measured = [{ ...early, restBytes }];
  if (!isTrimmed) measured.push(await measureWarm(session, shape));
  if (session.isYardstick) return measured;
  await session.load('compare-checkpoints', { ...shape, sample: 10 }, { clients: 2 });
  const messageBytes = measured.reduce(
    (sum, { summary, warmUpBytes = 0, isCutShort }) =>
      sum + (isCutShort ? Number.NaN : summary.messageBytes) + warmUpBytes,
    warmed.summary.messageBytes,
  );
  const stored = await storageFigures(session, messageBytes);
  return measured.map((row) => (row === measured.at(-1) ? { ...row, ...stored } : row));
}
