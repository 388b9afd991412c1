const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/**
 * Pauses between attempts: longer each time, with jitter so that many clients do not come back at the same moment. Never so
 * long that an API which is back would wait for more than 15 seconds, connecting included.
 */
export class Backoff {
  private attempts = 0;

  constructor(private readonly random: () => number = Math.random) {}

  /** The next pause in milliseconds. @param atLeastMs what the API asked for; obeyed up to the longest pause */
  next(atLeastMs: number | null = null): number {
    const full = Math.min(FIRST_MS * 2 ** Math.min(this.attempts, 10), LONGEST_MS);
    this.attempts += 1;
    const jittered = full * (0.5 + this.random() / 2);
    return Math.min(Math.max(jittered, atLeastMs ?? 0), LONGEST_MS);
  }

  reset(): void {
    this.attempts = 0;
  }
}
