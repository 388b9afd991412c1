import { corpusOf } from '../corpus/corpus.mjs';
import { w1Shape } from './w1.mjs';

/** Read once each before the clock starts, so that the restarted server has compiled its code. */
const WARM_UP_THREADS = 1500;

/** @type {import('./workload.mjs').Workload} */
export const r1 = {
  name: 'R1',
  title: '`latest` of the W1 threads (60 messages); from the database: after a restart, each thread read once',
  targets: ['yardstick', 'plain yardstick', 'sqlite', 'postgres'],
  isRepeated: true,
  measure: (session) => (session.isYardstick ? measureYardstick(session) : measureDatabase(session)),
};

async function measureYardstick(session) {
  const shape = w1Shape(session);
  await session.startServer(['--response-bytes', String(answerBytes(shape))]);
  return [await measureFromMemory(session, { ...shape, isBlind: true })];
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
  const fromDatabase = await session.measure('from the database', 'read-latest', { ...once, from: WARM_UP_THREADS });
  return [fromMemory, fromDatabase];
}

async function measureFromMemory(session, shape) {
  await session.load('read-latest', { ...shape, requests: session.scaled(1000, 200) });
  return session.measure('from memory', 'read-latest', { ...shape, requests: session.scaled(10_000, 500) });
}

/** A checkpoint comes back about as long as it was reported. */
function answerBytes(shape) {
  const bodies = corpusOf({ ...shape, threads: 20 }).threads.map((thread) => thread.batchBody(thread.turns - 1).length);
  return Math.round(bodies.reduce((sum, length) => sum + length, 0) / bodies.length);
}
