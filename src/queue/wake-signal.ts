import { Injectable } from '@nestjs/common';

/**
 * Wakes the workers of this process after a commit that left work in a table of lanes.
 * It only wakes them: the rows are the truth, and workers of other instances find them when they look by themselves.
 */
@Injectable()
export class WakeSignal {
  private readonly listeners = new Set<() => void>();

  /** Call it after the commit. */
  notify(): void {
    for (const listener of this.listeners) listener();
  }

  /** @returns the function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
