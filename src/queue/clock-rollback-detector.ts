import type { Clock } from '../common/clock.js';
import type { Logger } from '../common/logger.js';

/** The clock is corrected by less than that all the time. */
const SET_BACK_MS = 1_000;
/** What was under way when the clock was set back may have reckoned with the time before it. */
const LOOKS_AFTER_SET_BACK = 2;
/** Before a look is repeated that failed, or that did not reach everything: it disturbs whatever rightly waits. */
const REPEAT_MS = 5_000;

/**
 * Notices that the clock was set back: whatever waits for a time of the clock before would wait for as much longer. It may have
 * happened before this process began, so that the first check counts as well.
 */
export class ClockRollbackDetector {
  private aheadMs: number;
  private looksDue = 1;
  /** By the time that has passed. */
  private nextLookAtMs = 0;

  /** @param work what waits, for the log */
  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly work: string,
  ) {
    this.aheadMs = this.clockAheadMs();
  }

  /**
   * Never fails, so that what does not wait for a time goes on.
   * @param lookAtAll reckons the waits anew; it is called again after a while where it fails, or answers that it did not reach all
   */
  async check(lookAtAll: () => Promise<boolean>): Promise<void> {
    const aheadMs = this.clockAheadMs();
    const setBackMs = this.aheadMs - aheadMs;
    this.aheadMs = aheadMs;
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
      this.logger.warn({ err: error, work: this.work }, 'what waits for a time could not be looked at; tried again');
      return false;
    }
  }

  /** Against the time that has passed, which nobody can set. */
  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
