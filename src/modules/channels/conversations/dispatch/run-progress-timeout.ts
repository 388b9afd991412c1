import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ClockJumps } from '../../../../common/clock-jumps.js';
import { DispatchConfig } from '../../../../config/dispatch.config.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';

/** Clock corrections are smaller; a machine that was asleep is further behind. */
const ASLEEP_MS = 60_000;
const PULSE_MS = 5_000;

/**
 * How long to wait for a run that reports nothing. Only time in which this process could receive reports counts: agents send later what
 * they could not send while the process was down or suspended, or its machine asleep.
 */
@Injectable()
export class RunProgressTimeout implements OnModuleDestroy {
  private readonly pulse: NodeJS.Timeout;
  private hereSinceMs: number;
  private readonly jumps: ClockJumps;
  /** By the monotonic clock, which continues while the process is suspended. */
  private awakeAtMs: number;

  constructor(
    private readonly config: DispatchConfig,
    private readonly clock: RollbackSafeClock,
  ) {
    this.hereSinceMs = clock.nowMs();
    this.jumps = new ClockJumps(clock);
    this.awakeAtMs = performance.now();
    this.pulse = setInterval(() => this.noticeAbsence(), PULSE_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.pulse);
  }

  get limitSeconds(): number {
    return this.config.runLimitSeconds;
  }

  /** @param lastHeardMs when the run last reported @returns milliseconds; 0 or less if none are left */
  leftMs(lastHeardMs: number): number {
    this.noticeAbsence();
    const silentMs = Math.min(this.clock.sinceMs(lastHeardMs), this.clock.nowMs() - this.hereSinceMs);
    return this.limitSeconds * 1000 - silentMs;
  }

  /** A clock change, too, leaves it unknown how long this process was there. */
  private noticeAbsence(): void {
    const awakeAtMs = performance.now();
    const wasAway = awakeAtMs - this.awakeAtMs > ASLEEP_MS;
    if (this.jumps.hasJumped(ASLEEP_MS) || wasAway) this.hereSinceMs = this.clock.nowMs();
    this.awakeAtMs = awakeAtMs;
  }
}
