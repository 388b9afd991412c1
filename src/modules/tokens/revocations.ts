import { Injectable } from '@nestjs/common';

/** Programs' tokens end with each run: what listens looks its own up no more often than this. */
const TOLD_EVERY_MS = 1000;

/**
 * Tells the answers that are still under way on this instance that a token or a session was revoked, so that those of its holder end at
 * once. Other instances learn it with their next look-up.
 */
@Injectable()
export class Revocations {
  private readonly listeners = new Set<() => void>();
  private toldAtMs = -Infinity;
  private next: NodeJS.Timeout | null = null;

  /** Answers how to stop listening. */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(): void {
    if (this.listeners.size === 0 || this.next !== null) return;
    const pauseMs = this.toldAtMs + TOLD_EVERY_MS - performance.now();
    if (pauseMs <= 0) this.tellNow();
    else this.next = setTimeout(() => this.tellNow(), pauseMs).unref();
  }

  private tellNow(): void {
    this.next = null;
    this.toldAtMs = performance.now();
    for (const listener of [...this.listeners]) listener();
  }
}
