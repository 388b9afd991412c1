import { Backoff } from '../common/backoff.js';
import { API_BACKOFF } from './api-connection.js';
import type { LeaseResponse } from './lease-requests.js';

export interface RenewalOptions {
  fence: number;
  ttlMs: number;
  /** Claims the lease again for the same holder. */
  claim: () => Promise<LeaseResponse>;
  /** Another process has the lease. Called once, and not after `stop`. */
  onLost: () => void;
}

/**
 * Renews a lease each time a third of its time has passed. Keeps trying while the API is away: an expired lease still belongs to its
 * holder until another process claims it.
 */
export class LeaseRenewal {
  private timer?: NodeJS.Timeout;
  private isOver = false;
  private isAsking = false;
  private readonly backoff = new Backoff(API_BACKOFF);

  constructor(private readonly options: RenewalOptions) {
    this.next(this.pauseMs);
  }

  /** Checks at once that the lease is still held. */
  check(): void {
    if (!this.isAsking) this.next(0);
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private get pauseMs(): number {
    return this.options.ttlMs / 3;
  }

  private next(delayMs: number): void {
    clearTimeout(this.timer);
    if (this.isOver) return;
    this.timer = setTimeout(() => void this.renew(), delayMs);
    // Must not keep an otherwise finished program alive.
    this.timer.unref();
  }

  private async renew(): Promise<void> {
    this.isAsking = true;
    const response = await this.options.claim().catch(() => null);
    this.isAsking = false;
    if (this.isOver) return;
    if (response !== null && this.isLostBy(response)) {
      this.stop();
      return this.options.onLost();
    }
    if (response === null || response.kind === 'later') return this.next(Math.min(this.backoff.next(), this.pauseMs));
    this.backoff.reset();
    this.next(this.pauseMs);
  }

  /** A refusal concerns the token, not the lease. */
  private isLostBy(response: LeaseResponse): boolean {
    if (response.kind === 'held') return response.fence !== this.options.fence;
    return response.kind === 'busy' || response.kind === 'stale';
  }
}
