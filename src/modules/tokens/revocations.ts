import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../../database/change-feed.js';

/** Programs' tokens end with each run: what listens looks its own up no more often than this. */
const TOLD_EVERY_MS = 1000;

/**
 * Tells the answers that are still under way, on all instances, that a token or a session was revoked, so that those of its holder end
 * at once. An instance that does not hear of it learns it with its next look-up.
 */
@Injectable()
export class Revocations {
  private toldAtMs = -Infinity;
  private next: NodeJS.Timeout | null = null;

  constructor(private readonly feed: ChangeFeed) {}

  /** Answers how to stop listening. */
  follow(listener: () => void): () => void {
    return this.feed.subscribeToRevoked(listener);
  }

  tell(): void {
    if (this.next !== null) return;
    const pauseMs = this.toldAtMs + TOLD_EVERY_MS - performance.now();
    if (pauseMs <= 0) this.tellNow();
    else this.next = setTimeout(() => this.tellNow(), pauseMs).unref();
  }

  private tellNow(): void {
    this.next = null;
    this.toldAtMs = performance.now();
    this.feed.tellRevoked();
  }
}
