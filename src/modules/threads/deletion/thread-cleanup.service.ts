import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { JournalParticipants } from '../journal/store/journal-participants.service.js';
import { ThreadDeletionRepository } from './thread-deletion.repository.js';

/** Milliseconds to wait after a deletion, so that one round serves many. */
const DELAY_MS = 1_000;
/** The pause after a round, as a multiple of its duration. */
const REST_FACTOR = 20;
const BATCH = 50;
/** How often to look for leftovers of dead servers, and their minimum age: a server may still be working on younger ones. */
const LOOK_MS = 60_000;
/** How long returning readers can still learn about a deletion. */
const NOTICE_MS = 86_400_000;

/** Removes rows of deleted threads and unfinished imports, even after a crash, and returns their space. */
@Injectable()
export class ThreadCleanupService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> | null = null;
  private notBeforeMs = 0;
  /** Whether rows were deleted since the last round began. */
  private hasSpace = false;
  /** Threads that this process is removing outside of rounds. */
  private readonly underWay = new Set<number>();
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'rows of deleted threads could not be searched'),
  );

  constructor(
    private readonly repository: ThreadDeletionRepository,
    private readonly participants: JournalParticipants,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  /** Removes what a crash left half deleted, while the server already accepts requests. */
  onApplicationBootstrap(): void {
    this.begin(0);
    this.looks.start(LOOK_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  /** Deletes these threads' remaining rows, which readers no longer see. A later round repeats what fails. */
  async remove(threadPks: readonly number[]): Promise<void> {
    for (const pk of threadPks) this.underWay.add(pk);
    try {
      for (const pk of threadPks) await this.repository.removeRest(pk, this.participants.largeTables);
    } finally {
      for (const pk of threadPks) this.underWay.delete(pk);
      this.hasSpace = true;
      this.beginSoon();
    }
  }

  /** Begins a round if the server that deleted or imported something has died. */
  async look(): Promise<void> {
    const left = await this.repository.findDetached(this.clock.nowMs() - LOOK_MS, this.underWay, 1);
    if (left.length > 0) this.beginSoon();
  }

  /** Returns the space of rows that others deleted. */
  reclaimSoon(): void {
    this.hasSpace = true;
    this.beginSoon();
  }

  private beginSoon(afterMs = DELAY_MS): void {
    if (this.timer || this.round || this.shutdown.isShuttingDown) return;
    const delayMs = Math.max(afterMs, this.notBeforeMs - performance.now());
    this.timer = setTimeout(() => this.begin(LOOK_MS), delayMs).unref();
  }

  /** @param minAgeMs removes leftovers of deletions at least this old */
  private begin(minAgeMs: number): void {
    this.timer = null;
    const startedMs = performance.now();
    this.round = this.clearAway(minAgeMs)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'rows of deleted threads not removed'))
      .finally(() => {
        const nowMs = performance.now();
        this.notBeforeMs = nowMs + REST_FACTOR * (nowMs - startedMs);
        this.round = null;
        if (this.hasSpace) this.beginSoon();
      });
  }

  private async clearAway(minAgeMs: number): Promise<void> {
    await this.removeLeftovers(minAgeMs);
    await this.repository.forgetNotices(this.clock.nowMs() - NOTICE_MS);
    if (!this.hasSpace) return;
    this.hasSpace = false;
    const { tables, largeTables } = this.participants;
    await this.repository.reclaim([...tables, ...largeTables.map(({ table }) => table)], this.shutdown.signal);
  }

  private async removeLeftovers(minAgeMs: number): Promise<void> {
    while (!this.shutdown.isShuttingDown) {
      const pks = await this.repository.findDetached(this.clock.nowMs() - minAgeMs, this.underWay, BATCH);
      if (pks.length === 0) return;
      for (const pk of pks) await this.repository.removeRest(pk, this.participants.largeTables);
      this.hasSpace = true;
    }
  }
}
