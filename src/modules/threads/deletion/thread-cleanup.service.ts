import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { JournalParticipants } from '../journal/store/journal-participants.service.js';
import { ThreadDeletionRepository } from './thread-deletion.repository.js';

/** Milliseconds after a deletion, so that one round serves many deletions. */
const DELAY_MS = 1_000;
/** The pause between two rounds is at least this many times the duration of the first. */
const REST_FACTOR = 20;
const BATCH = 50;
/** How often to look for what other servers left behind when they died, and how old that must be: they may still be at it. */
const LOOK_MS = 60_000;
/** Readers who were away for less learn of deletions when they come back. */
const NOTICE_MS = 86_400_000;

/** Removes the rows of deleted threads and of unfinished imports, also after a crash, and gives their space back. */
@Injectable()
export class ThreadCleanupService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> | null = null;
  private notBeforeMs = 0;
  /** Whether rows were deleted since the last round began. */
  private hasSpace = false;
  /** Threads that this process removes outside of rounds. */
  private readonly underWay = new Set<number>();
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'rows of deleted threads could not be looked up'),
  );

  constructor(
    private readonly repository: ThreadDeletionRepository,
    private readonly participants: JournalParticipants,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  /** Removes what a crash left half deleted, while the server already serves requests. */
  onApplicationBootstrap(): void {
    this.begin(0);
    this.looks.start(LOOK_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  /** Deletes the remaining rows of these threads, which readers no longer see. A later round repeats what fails. */
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

  /** Begins a round when there is something that nobody is at any more: the server that deleted or imported it has died. */
  async look(): Promise<void> {
    const left = await this.repository.findDetached(this.clock.nowMs() - LOOK_MS, this.underWay, 1);
    if (left.length > 0) this.beginSoon();
  }

  /** Gives the space of rows back that others have deleted. */
  reclaimSoon(): void {
    this.hasSpace = true;
    this.beginSoon();
  }

  private beginSoon(afterMs = DELAY_MS): void {
    if (this.timer || this.round || this.shutdown.isShuttingDown) return;
    const delayMs = Math.max(afterMs, this.notBeforeMs - performance.now());
    this.timer = setTimeout(() => this.begin(LOOK_MS), delayMs).unref();
  }

  /** @param minAgeMs how long ago it must be that a thread was deleted, for the round to remove what is left of it */
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
