import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../../../common/backoff.js';
import type { Logger } from '../../../common/logger.js';
import type { SqlSession } from '../../../database/database.js';
import { PlatformError, type PollingAdapter } from '../platforms/channel-adapter.js';
import type { OpenChannel } from '../accounts/channel-accounts.service.js';
import type { InboxService } from './inbox.service.js';
import type { PollingLeases } from './polling-leases.js';
import type { PollingRepository } from './polling.repository.js';

const BACKOFF = { firstMs: 1_000, longestMs: 30_000, hasJitter: false };

/** Polls one channel while this instance has leased it. */
export class ChannelPoller {
  private readonly end = new AbortController();
  private readonly running: Promise<void>;
  private readonly backoff = new Backoff(BACKOFF);
  private fault: string | null;
  isDone = false;

  constructor(
    private readonly open: OpenChannel,
    private readonly adapter: PollingAdapter,
    private readonly leases: PollingLeases,
    private readonly repository: PollingRepository,
    private readonly inbox: InboxService,
    private readonly logger: Logger,
  ) {
    this.fault = open.channel.fault;
    this.running = this.run().finally(() => (this.isDone = true));
  }

  /** The channel's version when this began. */
  get updatedAtMs(): number {
    return Number(this.open.channel.updated_at);
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { channel, account } = this.open;
    let isWebhookGone = false;
    while (!this.end.signal.aborted) {
      try {
        // Also releases a changed channel, so that the poller of its new version need not wait for the lease to end.
        if (!(await this.leases.renew(channel))) break;
        if (!isWebhookGone) await this.adapter.stopWebhook(account, this.end.signal);
        isWebhookGone = true;
        await this.pollOnce();
        await this.noteFault(null);
        this.backoff.reset();
      } catch (error) {
        isWebhookGone = false; // somebody may have set up a webhook again, which excludes polling
        await this.backOff(error);
      }
    }
    await this.leases
      .release(channel.id)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, channel_id: channel.id }, 'polling lease not released'),
      );
  }

  /** Updates and the next offset are committed together: nothing is lost, and duplicates are recognised. */
  private async pollOnce(): Promise<void> {
    const { channel, account } = this.open;
    const { owner, times } = this.leases;
    const offset = await this.repository.findOffset(channel.id);
    const { updates, nextOffset } = await this.adapter.poll(account, offset, times.waitSeconds, this.end.signal);
    if (nextOffset === offset) return;
    const inSameTransaction = (session: SqlSession) =>
      this.repository.setOffset(session, channel.id, owner, nextOffset);
    await this.inbox.store([{ channelId: channel.id, updates, dropReason: null, inSameTransaction }]);
  }

  /** For people who look at the channel. A failure to store it must not stop polling. */
  private async noteFault(fault: string | null): Promise<void> {
    if (this.fault === fault) return;
    const { channel } = this.open;
    try {
      await this.repository.setFault(channel.id, this.leases.owner, fault);
      this.fault = fault;
    } catch (error) {
      this.logger.warn({ err: error, channel_id: channel.id }, 'polling fault not stored');
    }
  }

  private async backOff(error: unknown): Promise<void> {
    const { signal } = this.end;
    if (signal.aborted) return;
    this.logger.warn({ err: error, channel_id: this.open.channel.id }, 'polling failed; retrying');
    if (error instanceof PlatformError) await this.noteFault(error.message);
    const askedMs = error instanceof PlatformError ? error.retryAfterMs : null;
    await pause(this.backoff.next(askedMs), undefined, { signal }).catch(() => undefined);
  }
}
