import { storageFigures } from './storage-figures.mjs';

/** The corpus of W1; R1 reads the same. */
export function w1Shape(session) {
  return { seed: 11, prefix: 'w1', threads: session.scaled(200, 8), turns: 30 };
}

/** @type {import('./workload.mjs').Workload} */
export const w1 = {
  name: 'W1',
  title: '200 threads x 30 turns, one POST a turn with the whole history so far',
  targets: ['yardstick', 'plain yardstick', 'sqlite', 'postgres'],
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

async function measureRecording(session, shape) {
  await session.startServer();
  const warmUp = { ...shape, seed: 12, prefix: `${shape.prefix}-warm`, threads: session.scaled(50, 4) };
  const warmed = await session.load('record-turns', warmUp);
  const measured = await session.measure('', 'record-turns', shape);
  if (session.isYardstick) return [measured];
  await session.load('compare-checkpoints', { ...shape, sample: 10 }, { clients: 2 });
  const messageBytes = warmed.summary.messageBytes + measured.summary.messageBytes;
  return [{ ...measured, ...(await storageFigures(session, measured.isCutShort ? Number.NaN : messageBytes)) }];
}
