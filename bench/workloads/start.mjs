import { median } from '../support/medians.mjs';
import { cpuMsOf, memoryOf } from '../support/process-stats.mjs';

const STARTS = 10;

/** @type {import('./workload.mjs').Workload} */
export const start = {
  name: 'ST',
  title: 'starts of the server on an empty database, and on its own, until /health answers',
  targets: ['yardstick', 'sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const first = await startOnce(session);
  const later = [];
  for (let left = session.scaled(STARTS, 3); left > 0; left -= 1) {
    await session.stopServer();
    later.push(await startOnce(session));
  }
  return session.isYardstick ? [rowOf('again', later)] : [rowOf('first', [first]), rowOf('again', later)];
}

async function startOnce(session) {
  const begin = performance.now();
  await session.startServer();
  const ms = performance.now() - begin;
  const { pid } = session.server;
  return { ms, cpuMs: cpuMsOf(pid), bytes: memoryOf(pid).nowBytes };
}

/** Like the row of a load whose requests are starts. */
function rowOf(label, starts) {
  const all = (name) => starts.map((one) => one[name]);
  const [p50Ms, cpuMs, peakBytes] = ['ms', 'cpuMs', 'bytes'].map((name) => median(all(name)));
  const figures = { p50Ms, p99Ms: Math.max(...all('ms')), cpuMs, peakBytes };
  return { label, requests: starts.length, ...figures, faultCount: 0, isCutShort: false, summary: {} };
}
