import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { ChannelAccountsService } from '../accounts/channel-accounts.service.js';
import { canPoll } from '../platforms/channel-adapter.js';
import { ChannelAdapters } from '../platforms/channel-adapters.js';
import { CHANNEL_TYPES } from '../platforms/platforms.js';
import { ChannelPoller } from './channel-poller.js';
import { InboxService } from './inbox.service.js';
import { PollingLeases } from './polling-leases.js';
import { PollingRepository, type PollCandidate } from './polling.repository.js';

/** The longest time until a new channel, or one whose holder died, is noticed. */
const LOOK_MS = 2_000;

/** Polls the channels whose transport is polling: each by one instance at a time. */
@Injectable()
export class PollingService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly pollers = new Map<string, ChannelPoller>();
  /** Channels that are not polled, with the version that was checked. */
  private readonly others = new Map<string, number>();
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'channels to poll could not be looked up'),
  );

  constructor(
    private readonly repository: PollingRepository,
    private readonly accounts: ChannelAccountsService,
    private readonly adapters: ChannelAdapters,
    private readonly leases: PollingLeases,
    private readonly inbox: InboxService,
    private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.repository.freeAll();
    this.looks.start(LOOK_MS);
    this.looks.runNow();
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
    await Promise.all([...this.pollers.values()].map((poller) => poller.stop()));
  }

  private async look(): Promise<void> {
    await this.leases.checkClock();
    const types = CHANNEL_TYPES.filter((type) => canPoll(this.adapters.get(type)));
    const candidates = await this.repository.candidates(types);
    const versions = new Map(candidates.map(({ id, updated_at }) => [id, Number(updated_at)]));
    const former = [...this.pollers].filter(
      ([id, { isDone, updatedAtMs }]) => isDone || versions.get(id) !== updatedAtMs,
    );
    for (const [id] of former) this.pollers.delete(id);
    await Promise.all(former.map(([, poller]) => poller.stop()));
    for (const candidate of candidates) if (!this.pollers.has(candidate.id)) await this.tryToTake(candidate);
  }

  /** A channel locked by another session must not stop the others from being polled. */
  private async tryToTake(candidate: PollCandidate): Promise<void> {
    await this.consider(candidate).catch((error: unknown) =>
      this.logger.warn({ err: error, channel_id: candidate.id }, 'polling failed; retrying'),
    );
  }

  private async consider(candidate: PollCandidate): Promise<void> {
    const { id, updated_at } = candidate;
    if (this.others.get(id) === Number(updated_at) || this.leases.isTaken(candidate)) return;
    const open = await this.accounts.findUsable(id);
    if (!open || !canPoll(open.adapter) || !open.adapter.isPolled(open.account.config)) {
      this.others.set(id, Number(updated_at));
      return;
    }
    if (!(await this.leases.take(open.channel))) return;
    const { adapter } = open;
    this.pollers.set(id, new ChannelPoller(open, adapter, this.leases, this.repository, this.inbox, this.logger));
  }
}
