export interface BackoffLimits {
  /** Milliseconds after the first failure; doubled with each further one. */
  firstMs: number;
  /** No pause is longer, in milliseconds. */
  longestMs: number;
  /** Randomly shortens each pause by up to half, so that many clients do not return at the same moment. */
  hasJitter: boolean;
}

/** Pauses between attempts, in whole milliseconds. They grow with each failure, up to a limit. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly limits: BackoffLimits,
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * The pause after one more failure in a row. For callers that do not count the failures themselves.
   * @param atLeastMs the pause requested by the other side; respected up to the longest pause
   */
  next(atLeastMs: number | null = null): number {
    this.failures += 1;
    return this.after(this.failures, atLeastMs);
  }

  /** Call it after a success. */
  reset(): void {
    this.failures = 0;
  }

  /**
   * The pause after this many failures in a row.
   * @param failures from 1
   * @param atLeastMs the pause requested by the other side; respected up to the longest pause
   */
  after(failures: number, atLeastMs: number | null = null): number {
    const { firstMs, longestMs, hasJitter } = this.limits;
    const fullMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
    const ownMs = hasJitter ? fullMs * (0.5 + this.random() / 2) : fullMs;
    return Math.ceil(Math.min(Math.max(ownMs, atLeastMs ?? 0), longestMs));
  }
}
