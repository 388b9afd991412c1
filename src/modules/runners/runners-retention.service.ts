import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ClockJumps } from '../../common/clock-jumps.js';
import { Clock } from '../../common/clock.js';
import { Logger } from '../../common/logger.js';
import { PeriodicJob } from '../../common/periodic-job.js';
import { RetentionConfig } from '../../config/retention.config.js';
import { ThreadDeletionService } from '../threads/deletion/thread-deletion.service.js';

const DAY_MS = 24 * 3600 * 1000;

/** Deletes threads older than the configuration allows, once the clock has run steadily for an interval. */
@Injectable()
export class RunnersRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jumps = new ClockJumps(this.clock);
  private readonly rounds = new PeriodicJob(
    () => this.deleteOld(),
    (error) => this.logger.warn({ err: error }, 'retention failed'),
  );

  constructor(
    private readonly config: RetentionConfig,
    private readonly deletion: ThreadDeletionService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.days > 0) this.rounds.start(this.config.intervalSeconds * 1000);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
  }

  private async deleteOld(): Promise<void> {
    if (this.jumps.hasJumped()) return;
    const deleted = await this.deletion.deleteOld(this.clock.nowMs() - this.config.days * DAY_MS);
    if (deleted > 0) this.logger.info({ threads: deleted }, 'old threads deleted');
  }
}
