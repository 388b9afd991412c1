import type { Clock } from '../../../common/clock.js';
import type { Logger } from '../../../common/logger.js';

/** The clock is corrected by less than that all the time. */
const SET_BACK_MS = 1_000;
/** What was under way when the clock was set back may have reckoned with the time before it. */
const LOOKS_AFTER_SET_BACK = 2;

/**
 * Notices that the clock was set back: whatever waits for a time of the clock before would wait for as much longer. It may have
 * happened before this process began, so that the first check counts as well.
 */
export class SetBackWatch {
  private aheadMs: number;
  private looksDue = 1;

  /** @param work what waits, for the log */
  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly work: string,
  ) {
    this.aheadMs = this.clockAheadMs();
  }

  /** @param lookAtAll reckons the waits anew; where it fails, the next check calls it again */
  async check(lookAtAll: () => Promise<void>): Promise<void> {
    const aheadMs = this.clockAheadMs();
    const setBackMs = this.aheadMs - aheadMs;
    this.aheadMs = aheadMs;
    if (setBackMs > SET_BACK_MS) {
      this.logger.warn({ work: this.work, seconds: Math.round(setBackMs / 1000) }, 'the clock was set back');
      this.looksDue = LOOKS_AFTER_SET_BACK;
    }
    if (this.looksDue === 0) return;
    await lookAtAll();
    this.looksDue -= 1;
  }

  /** Against the time that has passed, which nobody can set. */
  private clockAheadMs(): number {
    return this.clock.nowMs() - performance.now();
  }
}
