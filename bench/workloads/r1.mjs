import { corpusOf } from '../corpus/corpus.mjs';
import { w1Shape } from './w1.mjs';

/** Each is read once before the clock starts, so that the restarted server has compiled its code. */
const WARM_UP_THREADS = 1500;
/** For the CPU of responses from memory. */
const PER_SECOND = 4000;
/** Repeated reads before the warm measurement; `latest` does not keep in memory what it reads from the database. */
const WARM_ROUNDS = 4;

/** @type {import('./workload.mjs').Workload} */
export const r1 = {
  name: 'R1',
  title: '`latest` of the W1 threads (60 messages); from the database: after a restart, each thread read once',
  targets: ['yardstick', 'baseline', 'sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => (session.isYardstick ? measureYardstick(session) : measureDatabase(session)),
};

async function measureYardstick(session) {
  const shape = w1Shape(session);
  await session.startServer(['--response-bytes', String(answerBytes(shape))]);
  return measureFromMemory(session, { ...shape, isBlind: true });
}

async function measureDatabase(session) {
  const shape = w1Shape(session);
  await session.startServer();
  await session.load('record-turns', shape);
  const fromMemory = await measureFromMemory(session, shape);
  const once = { ...shape, seed: 13, prefix: 'r1', threads: session.scaled(1500, 50) + WARM_UP_THREADS };
  await session.load('record-turns', { ...once, onlyTurn: once.turns - 1 });
  await session.restartServer();
  await session.load('read-latest', { ...once, from: 0, to: WARM_UP_THREADS });
  const read = (label) => session.measure(label, 'read-latest', { ...once, from: WARM_UP_THREADS });
  const fromDatabase = await read('from the database');
  for (let left = WARM_ROUNDS; left > 0; left -= 1) {
    await session.load('read-latest', { ...once, from: 0, to: WARM_UP_THREADS });
  }
  return [...fromMemory, fromDatabase, await read('from the database, warm')];
}

/** Reads the last thread at a fixed rate: as in G1, a faster server would find the generator awake. */
async function measureFromMemory(session, shape) {
  await session.load('read-latest', { ...shape, requests: session.scaled(1000, 200) });
  const job = { ...shape, requests: session.scaled(10_000, 500) };
  const read = (label, options) => session.measure(label, 'read-latest', job, options);
  return [
    await read('from memory'),
    await read('from memory, warm'),
    await read('from memory, paced', { perSecond: PER_SECOND }),
  ];
}

/** A checkpoint's response is about as long as its report. */
function answerBytes(shape) {
  const bodies = corpusOf({ ...shape, threads: 20 }).threads.map((thread) => thread.batchBody(thread.turns - 1).length);
  return Math.round(bodies.reduce((sum, length) => sum + length, 0) / bodies.length);
}
