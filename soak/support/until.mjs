import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `probe` returns something true.
 * @template T @param {string} what @param {() => T | Promise<T>} probe @param {number} [limitMs]
 * @returns {Promise<NonNullable<T>>} @throws {Error} that names `what` after the limit
 */
export async function until(what, probe, limitMs = 30_000) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await pause(20);
  }
}
