/**
 * Wakes waiting requests when any instance commits a change of their thread. It only wakes; the rows are the truth. This class knows only
 * its own process's listeners, which are all of them on SQLite.
 */
export class ChangeFeed {
  private readonly listeners = new Map<number, Set<() => void>>();
  private readonly listenersToAll = new Set<() => void>();
  private readonly listenersToRevoked = new Set<(id: string) => void>();

  /** Call this after the commit that changes these threads: it wakes all instances' listeners. */
  publish(threadPks: readonly number[]): void {
    for (const listener of this.listenersToAll) listener();
    if (this.listeners.size === 0) return;
    for (const pk of threadPks) this.listeners.get(pk)?.forEach((listener) => listener());
  }

  /**
   * Calls `listener` after each commit that touched the thread, and occasionally without one, in case a notification was lost.
   * @returns the function that ends the subscription
   */
  subscribe(threadPk: number, listener: () => void): () => void {
    const own = this.listeners.get(threadPk) ?? new Set();
    this.listeners.set(threadPk, own.add(listener));
    return () => {
      own.delete(listener);
      if (own.size === 0) this.listeners.delete(threadPk);
    };
  }

  /** The same for commits that touched any thread. */
  subscribeToAll(listener: () => void): () => void {
    this.listenersToAll.add(listener);
    return () => this.listenersToAll.delete(listener);
  }

  /** Tells all instances, this one first, that a token or session was revoked. Unreachable instances miss it. */
  tellRevoked(id: string): void {
    for (const listener of [...this.listenersToRevoked]) listener(id);
  }

  /** Calls `listener` when any instance tells that. Returns the function that ends the subscription. */
  subscribeToRevoked(listener: (id: string) => void): () => void {
    this.listenersToRevoked.add(listener);
    return () => this.listenersToRevoked.delete(listener);
  }

  /** Wakes all listeners, because any notification may have been lost. */
  protected wakeAll(): void {
    for (const listener of this.listenersToAll) listener();
    for (const own of [...this.listeners.values()]) own.forEach((listener) => listener());
  }

  async close(): Promise<void> {
    this.listeners.clear();
    this.listenersToAll.clear();
    this.listenersToRevoked.clear();
  }
}
