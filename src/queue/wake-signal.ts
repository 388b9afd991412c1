import { Injectable } from '@nestjs/common';

/**
 * Wakes this process's workers after a commit that left work in a table of lanes. The rows are the truth: workers of other instances find
 * them by polling.
 */
@Injectable()
export class WakeSignal {
  private readonly listeners = new Set<() => void>();

  /** Call this after the commit. */
  notify(): void {
    for (const listener of this.listeners) listener();
  }

  /** @returns the function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
