import { ClockJumps } from '../common/clock-jumps.js';
import type { Clock } from '../common/clock.js';
import type { Logger } from '../common/logger.js';

/** Small corrections are common, and only delay a wait by their size. */
const SET_BACK_MS = 1_000;
/** Work that was under way when the clock was set back may still store times of the clock before. */
const LOOKS_AFTER_SET_BACK = 2;
/** The pause before a failed or incomplete look is repeated: each look disturbs everything that rightly waits. */
const REPEAT_MS = 5_000;

/**
 * Notices that the clock was set back. Whatever waits for a time of the clock before would wait for that much longer, so everything is
 * looked at again. Somebody may have set it before this process began, so the first check looks as well.
 *
 * A stored time alone does not tell: leases of holders that are alive are renewed, not taken over, and most waits are shorter than the
 * longest one that is allowed.
 */
export class ClockRollbackDetector {
  private readonly jumps: ClockJumps;
  private looksDue = 1;
  /** By the time that has passed. */
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
   * @param lookAtAll corrects the waits; it is called again after a while when it fails, or returns false because it did not reach all
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
