const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * The pause before the next try: longer each time, with jitter so that many do not come back at the same moment.
 * @param attempts tries so far, from 1
 * @param atLeastMs what the other side asked for; obeyed up to the longest pause
 */
export function agentBackoffMs(attempts: number, atLeastMs: number | null, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 10), LONGEST_MS);
  return Math.ceil(Math.min(Math.max(full * (0.5 + random() / 2), atLeastMs ?? 0), LONGEST_MS));
}
