import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS, ClockJumps } from '../../../common/clock-jumps.js';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { RulesRepository } from './rules.repository.js';

const INTERVAL_MS = 10 * 60_000;
const KEPT_MS = 25 * 3_600_000;

/** Deletes uses of rules that no limit counts any more. */
@Injectable()
export class RuleUsesRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jumps: ClockJumps;
  private readonly sweeps = new PeriodicJob(
    () => this.sweep(),
    (error) => this.logger.warn({ err: error }, 'old uses of rules could not be removed; retrying'),
  );

  constructor(
    private readonly rules: RulesRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.jumps = new ClockJumps(clock);
  }

  onApplicationBootstrap(): void {
    this.sweeps.start(INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps.stop();
  }

  private async sweep(): Promise<void> {
    if (this.jumps.hasJumped()) return;
    const nowMs = this.clock.nowMs();
    await this.rules.tidyUses(nowMs - KEPT_MS, nowMs + CLOCK_TOLERANCE_MS, nowMs);
  }
}
