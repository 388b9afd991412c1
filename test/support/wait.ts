import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks: at first, and at last. To look costs what is looked at, and the tests beside it, their time. */
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;

/** Looks again and again until `probe` answers something other than undefined and false; fails with `what` after the limit. */
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

/** Lets the clock advance, for tests that look at the order of times. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await waitFor('the clock to advance', () => Date.now() > now + 1);
}
