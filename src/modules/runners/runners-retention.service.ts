import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ClockJumps } from '../../common/clock-jumps.js';
import { Clock } from '../../common/clock.js';
import { Logger } from '../../common/logger.js';
import { PeriodicJob } from '../../common/periodic-job.js';
import { RetentionConfig } from '../../config/retention.config.js';
import { QueuedRunsService } from './agents/queued-runs.service.js';
import { ThreadDeletionService } from '../threads/deletion/thread-deletion.service.js';

const DAY_MS = 24 * 3600 * 1000;

/**
 * Deletes threads older than configured, and leftovers of processes that never came back, once the clock has run steadily for an interval.
 */
@Injectable()
export class RunnersRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jumps = new ClockJumps(this.clock);
  private readonly rounds = new PeriodicJob(
    () => this.clean(),
    (error) => this.logger.warn({ err: error }, 'retention failed'),
  );

  constructor(
    private readonly config: RetentionConfig,
    private readonly deletion: ThreadDeletionService,
    private readonly queues: QueuedRunsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start(this.config.intervalSeconds * 1000);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
  }

  private async clean(): Promise<void> {
    if (this.jumps.hasJumped()) return;
    await this.queues.forgetOld();
    if (this.config.days > 0) await this.deleteOldThreads();
  }

  private async deleteOldThreads(): Promise<void> {
    const deleted = await this.deletion.deleteOld(this.clock.nowMs() - this.config.days * DAY_MS);
    if (deleted > 0) this.logger.info({ threads: deleted }, 'old threads deleted');
  }
}
