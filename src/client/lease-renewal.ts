import { Backoff } from '../common/backoff.js';
import { API_BACKOFF } from './api-connection.js';
import type { LeaseResponse } from './lease-requests.js';

export interface RenewalOptions {
  fence: number;
  ttlMs: number;
  /** Claims the lease once more for the same holder. */
  claim: () => Promise<LeaseResponse>;
  /** Somebody else has it. Called once, and not after `stop`. */
  onLost: () => void;
}

/**
 * Renews a lease after each third of its time. While the API is away it tries again and again: a lease that has run out still is its holder's
 * as long as nobody else came for it.
 */
export class LeaseRenewal {
  private timer?: NodeJS.Timeout;
  private isOver = false;
  private isAsking = false;
  private readonly backoff = new Backoff(API_BACKOFF);

  constructor(private readonly options: RenewalOptions) {
    this.next(this.pauseMs);
  }

  /** Looks at once whether the lease is still there. */
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
    // It must not keep a program alive that has nothing else to do.
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

  /** A refusal speaks of the token, not of the lease. */
  private isLostBy(response: LeaseResponse): boolean {
    if (response.kind === 'held') return response.fence !== this.options.fence;
    return response.kind === 'busy' || response.kind === 'stale';
  }
}
