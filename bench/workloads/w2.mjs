const EVENTS_PER_BATCH = 50;

/** @type {import('./workload.mjs').Workload} */
export const w2 = {
  name: 'W2',
  title: '400 POSTs of 50 small events (thread_started, thread_completed)',
  targets: ['baseline', 'sqlite', 'postgres'],
  isRepeated: true,
  measure,
};

async function measure(session) {
  await session.startServer();
  const batches = { seed: 21, prefix: 'w2', batches: session.scaled(400, 40), eventsPerBatch: EVENTS_PER_BATCH };
  const warmUp = { ...batches, seed: 22, prefix: 'w2-warm', batches: session.scaled(100, 20) };
  await session.load('send-small-events', warmUp);
  const early = await session.measure('', 'send-small-events', batches);
  const more = { ...batches, seed: 23, prefix: 'w2-more', batches: session.scaled(1600, 40) };
  await session.load('send-small-events', more);
  const warm = await session.measure('warm', 'send-small-events', { ...batches, seed: 24, prefix: 'w2-again' });
  return [early, warm].map((row) => ({ ...row, eventsPerSecond: row.requestsPerSecond * EVENTS_PER_BATCH }));
}
