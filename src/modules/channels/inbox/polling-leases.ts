import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import { Logger } from '../../../common/logger.js';
import { ChannelsConfig } from '../../../config/channels.config.js';
import { DispatchConfig } from '../../../config/dispatch.config.js';
import { ClockRollbackDetector } from '../../../queue/clock-rollback-detector.js';
import { PollingRepository, type PollCandidate, type PollVersion } from './polling.repository.js';

const LONGEST_WAIT_SECONDS = 10;
/** For the work between two polls. */
const MARGIN_MS = 5_000;

/** How long a poll waits, and how long a poller's lease lasts, which must be longer. */
export class PollingTimes {
  /** Seconds that the platform waits for updates before it returns none. */
  readonly waitSeconds: number;
  readonly leaseMs: number;

  constructor({ leaseSeconds }: DispatchConfig, { platformTimeoutMs }: ChannelsConfig) {
    this.waitSeconds = Math.max(1, Math.min(LONGEST_WAIT_SECONDS, Math.floor(leaseSeconds / 3)));
    this.leaseMs = Math.max(leaseSeconds * 1000, this.waitSeconds * 1000 + platformTimeoutMs + MARGIN_MS);
  }
}

/** Which channels this instance polls: only one instance at a time holds a channel's lease. */
@Injectable()
export class PollingLeases {
  /** This instance's id as a poller. */
  readonly owner = newId();
  readonly times: PollingTimes;
  private readonly rollbacks: ClockRollbackDetector;

  constructor(
    private readonly repository: PollingRepository,
    private readonly clock: Clock,
    dispatch: DispatchConfig,
    channels: ChannelsConfig,
    logger: Logger,
  ) {
    this.times = new PollingTimes(dispatch, channels);
    this.rollbacks = new ClockRollbackDetector(clock, logger, 'polling');
  }

  isTaken({ poll_lease_until }: PollCandidate): boolean {
    return poll_lease_until !== null && Number(poll_lease_until) > this.clock.nowMs();
  }

  /** Also false if the channel was changed: it may have a webhook now, which polling would remove. */
  take(channel: PollVersion): Promise<boolean> {
    return this.repository.take(channel, this.lease());
  }

  /** For a channel that this instance has taken. */
  renew(channel: PollVersion): Promise<boolean> {
    return this.repository.renew(channel, this.lease());
  }

  release(channelId: string): Promise<void> {
    return this.repository.release(channelId, this.owner);
  }

  /** Keeps a holder that died before the clock was set back from holding its channels that much longer. Never fails. */
  checkClock(): Promise<void> {
    return this.rollbacks.check(() => this.repository.shortenLeases(this.lease().untilMs));
  }

  private lease() {
    const nowMs = this.clock.nowMs();
    return { owner: this.owner, nowMs, untilMs: nowMs + this.times.leaseMs };
  }
}
