import { setTimeout as pause } from 'node:timers/promises';
import { apiAccess } from '../connect.js';
import { answers } from './hook-request.js';

/** Milliseconds between two questions: with the patience of 2 s a server that vanishes is noticed within 3 s. */
const PULSE_MS = 800;
const RETRY_MS = 100;

/**
 * Asks `GET /health` beside a request that waits, which costs the server far less than asking the request itself again so often. A server
 * that vanishes without closing the connection is noticed by this alone.
 * @returns a signal that aborts when the server has not answered for `patienceMs`
 */
export function silenceOf(patienceMs: number, end: AbortSignal): AbortSignal {
  const silence = new AbortController();
  untilSilent(patienceMs, end).then(
    () => silence.abort(),
    () => undefined,
  );
  return silence.signal;
}

/** @throws Error when `end` aborts */
async function untilSilent(patienceMs: number, end: AbortSignal): Promise<void> {
  for (let silentSinceMs: number | null = null; ;) {
    await pause(silentSinceMs === null ? PULSE_MS : RETRY_MS, undefined, { signal: end });
    const askedMs = performance.now();
    const leftMs: number = patienceMs - (askedMs - (silentSinceMs ?? askedMs));
    const isThere = leftMs > 0 && (await answers(`${apiAccess().apiUrl}/health`, Math.max(1, leftMs), end));
    silentSinceMs = isThere ? null : (silentSinceMs ?? askedMs);
    if (silentSinceMs !== null && performance.now() - silentSinceMs >= patienceMs) return;
  }
}
