import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { DeliveriesRepository } from './deliveries.repository.js';

const INTERVAL_MS = 3_600_000;
const KEPT_MS = 30 * 24 * 3_600_000;

/** Deletes deliveries after 30 days. */
@Injectable()
export class DeliveriesRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job = new PeriodicJob(
    () => this.prune(),
    (error) => this.logger.warn({ err: error }, 'old deliveries of notices could not be deleted; retrying'),
  );

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.job.start(INTERVAL_MS);
    this.job.runNow();
  }

  async onModuleDestroy(): Promise<void> {
    await this.job.stop();
  }

  async prune(): Promise<void> {
    await this.deliveries.deleteOlderThan(this.clock.nowMs() - KEPT_MS);
  }
}
