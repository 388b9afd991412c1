import { setTimeout as pause } from 'node:timers/promises';
import { Backoff } from '../../../common/backoff.js';
import { PlatformError, type PollingAdapter } from '../platforms/channel-adapter.js';
import type { OpenChannel } from '../accounts/channel-accounts.service.js';
import type { PollerTools } from './poller-tools.js';

const BACKOFF = { firstMs: 1_000, longestMs: 30_000, hasJitter: false };

/** Asks the platform for the updates of one channel, again and again, while this instance holds it. */
export class ChannelPoller {
  private readonly end = new AbortController();
  private readonly running: Promise<void>;
  private readonly backoff = new Backoff(BACKOFF);
  isDone = false;

  constructor(
    private readonly open: OpenChannel,
    private readonly adapter: PollingAdapter,
    private readonly owner: string,
    private readonly tools: PollerTools,
  ) {
    this.running = this.run().finally(() => (this.isDone = true));
  }

  /** The channel as it was when this began. */
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
        // A channel that was changed is let go of as well, so that the poller of its new version need not wait for the lease to end.
        if (!(await this.tools.renew(channel, this.owner))) break;
        if (!isWebhookGone) await this.adapter.stopWebhook(account, this.end.signal);
        isWebhookGone = true;
        await this.pollOnce();
        this.backoff.reset();
      } catch (error) {
        isWebhookGone = false; // somebody may have set one up again, which excludes polling
        await this.backOff(error);
      }
    }
    await this.tools.release(channel.id, this.owner);
  }

  private async pollOnce(): Promise<void> {
    const { channel, account } = this.open;
    const offset = await this.tools.findOffset(channel.id);
    const { waitSeconds } = this.tools;
    const { updates, nextOffset } = await this.adapter.poll(account, offset, waitSeconds, this.end.signal);
    if (nextOffset !== offset) await this.tools.store(channel.id, this.owner, updates, nextOffset);
  }

  private async backOff(error: unknown): Promise<void> {
    const { signal } = this.end;
    if (signal.aborted) return;
    this.tools.warn(this.open.channel.id, error);
    const askedMs = error instanceof PlatformError ? error.retryAfterMs : null;
    await pause(this.backoff.next(askedMs), undefined, { signal }).catch(() => undefined);
  }
}
