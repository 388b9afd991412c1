/** A longer call is slow. A call without a response takes about fifteen seconds. */
const SLOW_MS = 1_000;
/** How long a callee counts as slow after a slow call, unless a later call is quick. */
const REMEMBERED_MS = 5 * 60_000;

interface Slowness {
  /** Slow calls in progress. */
  open: number;
  untilMs: number;
}

/**
 * Knows which agents or accounts respond slowly. Their lanes have a separate pool, so that they cannot take others' places. One quick
 * response ends the slowness.
 */
export class CallWatch {
  private readonly known = new Map<string, Slowness>();
  private listener: () => void = () => undefined;

  /** @param listener called whenever a call turns out to be slow */
  onSlow(listener: () => void): void {
    this.listener = listener;
  }

  /** @param called the agent or account being called */
  async during<T>(called: string, call: () => Promise<T>): Promise<T> {
    let slowness: Slowness | null = null;
    const timer = setTimeout(() => {
      slowness = this.noteSlow(called);
      this.listener();
    }, SLOW_MS).unref();
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      this.noteEnd(called, slowness);
    }
  }

  /** The agents or accounts that are slow now. */
  slowOnes(): Set<string> {
    const nowMs = performance.now();
    for (const [called, { open, untilMs }] of this.known) {
      if (open === 0 && untilMs <= nowMs) this.known.delete(called);
    }
    return new Set(this.known.keys());
  }

  private noteSlow(called: string): Slowness {
    const slowness = this.known.get(called) ?? { open: 0, untilMs: 0 };
    slowness.open += 1;
    this.known.set(called, slowness);
    return slowness;
  }

  private noteEnd(called: string, slowness: Slowness | null): void {
    if (slowness === null) {
      if (this.known.get(called)?.open === 0) this.known.delete(called);
      return;
    }
    slowness.open -= 1;
    slowness.untilMs = performance.now() + REMEMBERED_MS;
  }
}
