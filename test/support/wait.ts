import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two checks, at first and at last. Each check costs the checked process, and other tests, time. */
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 150;

/** Checks repeatedly until `probe` returns something other than undefined and false; fails with `what` after the limit. */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs = 120_000,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(1.2 * pauseMs, LONGEST_PAUSE_MS)) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for ${what}`);
    await pause(pauseMs);
  }
}

/** Waits for the clock to advance, for tests that compare the order of times. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await waitFor('the clock to advance', () => Date.now() > now + 1);
}
