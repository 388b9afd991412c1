import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ClockJumps } from '../../../common/clock-jumps.js';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { RetentionConfig } from '../../../config/retention.config.js';
import type { BoundStatement } from '../../../database/database.js';
import { JournalParticipants } from '../../threads/journal/store/journal-participants.service.js';
import type { JournalParticipant } from '../../threads/threads.contract.js';
import { AttachmentBytesRepository } from './attachment-bytes.repository.js';

/** The longest pause between two rounds, in seconds. */
const INTERVAL_SECONDS = 60;
/** How long a file waits for its chat. */
const KEPT_MS = 24 * 3600_000;
/** No upload takes this long: it was given up. If only the clock jumped, the upload's end learns that it is gone. */
const LONGEST_UPLOAD_MS = 15 * 60_000;
const BATCH = 50;

/** Removes files that waited too long, were given up midway, or whose thread was deleted. */
@Injectable()
export class AttachmentCleanupService
  implements JournalParticipant, OnModuleInit, OnApplicationBootstrap, OnModuleDestroy
{
  readonly tables = [];
  private readonly jumps = new ClockJumps(this.clock);
  private hasDeleted = false;
  private readonly rounds = new PeriodicJob(
    () => this.round(),
    (error) => this.logger.warn({ err: error }, 'files for chats could not be removed'),
  );

  constructor(
    private readonly repository: AttachmentBytesRepository,
    private readonly config: RetentionConfig,
    private readonly participants: JournalParticipants,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.participants.add(this);
  }

  onApplicationBootstrap(): void {
    this.rounds.start(Math.min(INTERVAL_SECONDS, this.config.intervalSeconds) * 1000);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
  }

  statementsForDeletion(threadId: string): readonly BoundStatement[] {
    this.hasDeleted = true;
    return [this.repository.discardStatement(threadId)];
  }

  committed(): void {
    if (!this.hasDeleted) return;
    this.hasDeleted = false;
    this.rounds.runNow();
  }

  private async round(): Promise<void> {
    const nowMs = this.clock.nowMs();
    if (!this.jumps.hasJumped()) await this.repository.discardOld(nowMs - KEPT_MS);
    let removed = 0;
    while (!this.rounds.isStopped) {
      const ids = await this.repository.findLost(nowMs - LONGEST_UPLOAD_MS, BATCH);
      for (const id of ids) while (!this.rounds.isStopped && (await this.repository.removeSome(id)));
      removed += ids.length;
      if (ids.length < BATCH) break;
    }
    if (removed > 0) await this.repository.reclaim(this.shutdown.signal);
  }
}
