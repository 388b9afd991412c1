import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Logger } from '../../common/logger.js';
import { SteadyTime } from '../../common/steady-time.js';
import { RetentionConfig } from '../../config/retention.config.js';
import { ThreadDeletionService } from '../threads/deletion/thread-deletion.service.js';

const DAY_MS = 24 * 3600 * 1000;

/** Deletes threads that are older than the configuration allows, once the clock has gone as fast as time for an interval. */
@Injectable()
export class RunnersRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private round: Promise<void> | null = null;
  private readonly time: SteadyTime;

  constructor(
    private readonly config: RetentionConfig,
    private readonly deletion: ThreadDeletionService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.time = new SteadyTime(clock);
  }

  onApplicationBootstrap(): void {
    if (this.config.days === 0) return;
    this.timer = setInterval(() => this.begin(), this.config.intervalSeconds * 1000).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** A round that takes longer than the interval is not piled upon; one that fails is made up for by the next. */
  private begin(): void {
    if (!this.time.hasAgreed()) return;
    this.round ??= this.deleteOld()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'retention failed'))
      .finally(() => (this.round = null));
  }

  private async deleteOld(): Promise<void> {
    const deleted = await this.deletion.deleteOld(this.clock.nowMs() - this.config.days * DAY_MS);
    if (deleted > 0) this.logger.info({ threads: deleted }, 'old threads deleted');
  }
}
