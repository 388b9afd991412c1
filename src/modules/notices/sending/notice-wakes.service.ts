import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { SingleFlight } from '../../../common/single-flight.js';
import { Database } from '../../../database/database.js';
import { GroupCommit } from '../../../queue/group-commit.js';
import { WakeSignal } from '../../../queue/wake-signal.js';
import { NoticesRepository } from '../notices.repository.js';

const SWEEP_MS = 15_000;
/** One look finds what many commits have left. */
const PAUSE_MS = 50;

/**
 * Wakes notices after a commit that left deliveries, in a separate transaction: recordings that all changed one row would wait for each
 * other. A look every 15 seconds finds what a crash in between left.
 */
@Injectable()
export class NoticeWakesService implements OnApplicationBootstrap, OnModuleDestroy {
  /** Whether there may be a notice. With several servers, the result of the last look. */
  private isAny = true;
  /** Notices that this server has created: a look that began before one says nothing about it. */
  private created = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly looks = new SingleFlight(() => this.look());
  private readonly sweeps = new PeriodicJob(
    async () => this.looks.wake(),
    () => undefined,
  );

  constructor(
    private readonly notices: NoticesRepository,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeps.start(SWEEP_MS);
    this.looks.wake();
  }

  async onModuleDestroy(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    await Promise.all([this.sweeps.stop(), this.looks.stop()]);
  }

  /** Whether recordings may have somebody to tell. Another server may have just created the first notice. */
  get mayTell(): boolean {
    return this.isAny || this.database.isShared;
  }

  /** Call this when this server has created a notice. */
  noteCreated(): void {
    this.created += 1;
    this.isAny = true;
  }

  /** Wakes notices with something to send; soon, and once for many calls. */
  wake(): void {
    if (!this.isAny) return;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.looks.wake();
    }, PAUSE_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      const { created } = this;
      const isAny = await this.notices.hasAny();
      if (created === this.created) this.isAny = isAny;
      if (!isAny) return;
      await this.group.run((session) => this.notices.wakeDue(session, this.clock.nowMs()));
      this.work.notify();
    } catch (error) {
      this.logger.warn({ err: error }, 'notices could not be read; retrying');
    }
  }
}
