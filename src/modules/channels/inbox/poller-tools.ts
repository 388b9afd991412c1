import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import type { InboundUpdate } from '../platforms/inbound-update.js';
import { InboxService } from './inbox.service.js';
import { ClockRollbackDetector } from '../../../queue/clock-rollback-detector.js';
import { PollingTimes } from './polling-times.js';
import { PollingRepository, type PollCandidate, type PollVersion } from './polling.repository.js';

/** What pollers share. */
@Injectable()
export class PollerTools {
  private readonly rollbacks = new ClockRollbackDetector(this.clock, this.logger, 'polling');

  constructor(
    private readonly repository: PollingRepository,
    private readonly inbox: InboxService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly times: PollingTimes,
  ) {}

  get waitSeconds(): number {
    return this.times.waitSeconds;
  }

  isTaken({ poll_lease_until }: PollCandidate): boolean {
    return poll_lease_until !== null && Number(poll_lease_until) > this.clock.nowMs();
  }

  /** A holder that died before the clock was set back must not hold its channels for as much longer. Never fails. */
  checkClock(): Promise<void> {
    return this.rollbacks.check(() => this.repository.shortenLeases(this.clock.nowMs() + this.times.leaseMs));
  }

  /** False also where the channel was changed: whoever set up a webhook meanwhile must not lose it. */
  take(channel: PollVersion, owner: string): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    return this.repository.take(channel, owner, nowMs, nowMs + this.times.leaseMs);
  }

  /** For whoever has taken it. */
  renew(channel: PollVersion, owner: string): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    return this.repository.renew(channel, owner, nowMs, nowMs + this.times.leaseMs);
  }

  async release(channelId: string, owner: string): Promise<void> {
    await this.repository
      .release(channelId, owner)
      .catch((error: unknown) => this.logger.warn({ err: error, channel_id: channelId }, 'polling not signed off'));
  }

  findOffset(channelId: string): Promise<string | null> {
    return this.repository.findOffset(channelId);
  }

  /** The updates and where to go on become durable together: nothing is lost, and what comes twice is known again. */
  async store(
    channelId: string,
    owner: string,
    updates: readonly InboundUpdate[],
    nextOffset: string | null,
  ): Promise<void> {
    const inSameTransaction = this.repository.setOffset.bind(this.repository);
    await this.inbox.store([
      {
        channelId,
        updates,
        dropReason: null,
        inSameTransaction: (session) => inSameTransaction(session, channelId, owner, nextOffset),
      },
    ]);
  }

  warn(channelId: string, error: unknown): void {
    this.logger.warn({ err: error, channel_id: channelId }, 'polling failed; tried again');
  }
}
