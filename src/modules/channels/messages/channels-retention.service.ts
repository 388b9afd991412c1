import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ClockJumps } from '../../../common/clock-jumps.js';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { RetentionConfig } from '../../../config/retention.config.js';
import { CodeTriesRepository } from '../accounts/verification/code-tries.repository.js';
import { ChannelMessagesRepository, type AgedMessage } from './channel-messages.repository.js';

const DAY_MS = 24 * 3600 * 1000;
const BATCH = 500;
/** Unfinished messages are kept, whatever their age. */
const ENDED = new Set<string>(['joined', 'done', 'dropped', 'failed', 'sent', 'unknown']);

/** Deletes old rows of the message log, except while the clock has just jumped. */
@Injectable()
export class ChannelsRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jumps = new ClockJumps(this.clock);
  private readonly rounds = new PeriodicJob(
    () => this.deleteOld(),
    (error) => this.logger.warn({ err: error }, 'retention of channel messages failed'),
  );

  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: ChannelMessagesRepository,
    private readonly tries: CodeTriesRepository,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start(this.config.intervalSeconds * 1000);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
  }

  private async deleteOld(): Promise<void> {
    if (this.jumps.hasJumped()) return;
    const nowMs = this.clock.nowMs();
    const beforeMs = nowMs - this.config.channelMessageDays * DAY_MS;
    await this.tries.forgetOld(nowMs - DAY_MS);
    let deleted = 0;
    for await (const rows of this.oldRows(beforeMs, nowMs)) {
      deleted += await this.repository.delete(rows.map(({ seq }) => seq));
    }
    if (deleted === 0) return;
    await this.repository.deleteIdleSessions(beforeMs);
    this.logger.info({ messages: deleted }, 'old channel messages deleted');
  }

  /**
   * The log is in time order, so it is read up to the first row that is young enough. Rows dated in the future were written while the clock
   * was ahead: they say nothing about the rows after them, and grow old in time.
   */
  private async *oldRows(beforeMs: number, nowMs: number): AsyncGenerator<AgedMessage[]> {
    for (let after = 0; !this.rounds.isStopped;) {
      const rows = await this.repository.findAfter(after, BATCH);
      const old = rows.filter(({ created_at }) => Number(created_at) < beforeMs);
      yield old.filter(({ status }) => ENDED.has(status));
      const isAtEnd = rows.some(({ created_at }) => Number(created_at) >= beforeMs && Number(created_at) <= nowMs);
      if (rows.length < BATCH || isAtEnd) return;
      after = rows.at(-1)!.seq;
    }
  }
}
