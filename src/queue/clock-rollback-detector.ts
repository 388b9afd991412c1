import { ClockJumps } from '../common/clock-jumps.js';
import type { Clock } from '../common/clock.js';
import type { Logger } from '../common/logger.js';

/** Small corrections are common, and only delay a wait by their size. */
const SET_BACK_MS = 1_000;
/** Work in progress when the clock was set back may still store times of the old clock. */
const LOOKS_AFTER_SET_BACK = 2;
/** The pause before a failed or incomplete look is repeated: each look disturbs everything that rightly waits. */
const REPEAT_MS = 5_000;

/**
 * Notices that the clock was set back. Whatever waits for a time of the old clock would wait that much longer, so everything is looked at
 * again. It may have happened before this process started, so the first check looks as well.
 *
 * Stored times alone do not tell: live holders renew their leases, and most waits are shorter than the longest allowed one.
 */
export class ClockRollbackDetector {
  private readonly jumps: ClockJumps;
  private looksDue = 1;
  /** In monotonic time. */
  private nextLookAtMs = 0;

  /** @param work what waits, for the log */
  constructor(
    clock: Clock,
    private readonly logger: Logger,
    private readonly work: string,
  ) {
    this.jumps = new ClockJumps(clock);
  }

  /**
   * Never fails, so that work without a due time continues.
   * @param lookAtAll corrects the waits; repeated later if it fails, or returns false because it did not reach all
   */
  async check(lookAtAll: () => Promise<boolean>): Promise<void> {
    const setBackMs = -this.jumps.sinceLastMs();
    if (setBackMs > SET_BACK_MS) {
      this.logger.warn({ work: this.work, seconds: Math.round(setBackMs / 1000) }, 'the clock was set back');
      this.looksDue = LOOKS_AFTER_SET_BACK;
      this.nextLookAtMs = 0;
    }
    if (this.looksDue === 0 || performance.now() < this.nextLookAtMs) return;
    if (await this.hasReachedAll(lookAtAll)) this.looksDue -= 1;
    else this.nextLookAtMs = performance.now() + REPEAT_MS;
  }

  private async hasReachedAll(lookAtAll: () => Promise<boolean>): Promise<boolean> {
    try {
      return await lookAtAll();
    } catch (error) {
      this.logger.warn({ err: error, work: this.work }, 'scheduled work could not be checked; retrying');
      return false;
    }
  }
}
