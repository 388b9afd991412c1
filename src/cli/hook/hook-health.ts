import { setTimeout as pause } from 'node:timers/promises';
import { apiAccess } from '../connect.js';
import { send, within } from './hook-request.js';

/** Milliseconds between two checks. With 2 s of patience, a vanished server is noticed within 3 s. */
const PULSE_MS = 800;
const RETRY_MS = 100;

/**
 * Polls `GET /health` while a long request waits, which costs the server far less than repeating that request. Nothing else notices a
 * server that vanishes without closing the connection.
 * @returns a signal that aborts when the server has not answered for `patienceMs`
 */
export function watchHealth(patienceMs: number, end: AbortSignal): AbortSignal {
  const silence = new AbortController();
  waitUntilSilent(patienceMs, end).then(
    () => silence.abort(),
    () => undefined,
  );
  return silence.signal;
}

/** @throws Error when `end` aborts */
async function waitUntilSilent(patienceMs: number, end: AbortSignal): Promise<void> {
  for (let silentSinceMs: number | null = null; ;) {
    await pause(silentSinceMs === null ? PULSE_MS : RETRY_MS, undefined, { signal: end });
    const askedMs = performance.now();
    const leftMs: number = patienceMs - (askedMs - (silentSinceMs ?? askedMs));
    const isThere = leftMs > 0 && (await isHealthy(Math.max(1, leftMs), end));
    silentSinceMs = isThere ? null : (silentSinceMs ?? askedMs);
    if (silentSinceMs !== null && performance.now() - silentSinceMs >= patienceMs) return;
  }
}

/** Whether the server answers without an error within `limitMs`. A 404 counts as an answer. */
function isHealthy(limitMs: number, end: AbortSignal): Promise<boolean> {
  return send(`${apiAccess().apiUrl}/health`, { signal: within(limitMs, end) }).then(
    ({ status }) => status < 500,
    () => false,
  );
}
