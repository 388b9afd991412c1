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
/** Commits may be many; one look finds what all of them have left. */
const PAUSE_MS = 50;

/**
 * Has notices looked at after a commit that left deliveries, in a transaction of its own: one row that every recording changes would
 * make recordings wait for each other. A look at every 15 seconds finds what a crash left between the two.
 */
@Injectable()
export class NoticeWakesService implements OnApplicationBootstrap, OnModuleDestroy {
  /** Whether there may be a notice. Where other servers write, too, it is what the last look found. */
  private isAny = true;
  /** Counts the notices that this server has created: a look that began before one says nothing of it. */
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

  /** Whether recordings have somebody to tell. Another server may have created the first notice a moment ago. */
  get mayTell(): boolean {
    return this.isAny || this.database.isShared;
  }

  /** Call it when this server has created a notice. */
  noteCreated(): void {
    this.created += 1;
    this.isAny = true;
  }

  /** Has notices looked at that have something to send; soon, and once for many calls. */
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
      this.logger.warn({ err: error }, 'notices could not be looked up; retrying');
    }
  }
}
