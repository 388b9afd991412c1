/** Whoever answers later than that is slow. A call that is not answered at all lasts some fifteen seconds. */
const SLOW_MS = 1_000;
/** How long it is remembered of those of whom nothing is heard since. */
const REMEMBERED_MS = 5 * 60_000;

interface Slowness {
  /** Slow calls under way. */
  open: number;
  untilMs: number;
}

/**
 * Knows who does not answer in time: calls to them have places of their own, so that they do not take those of the others. Whoever
 * answers a call in time is no longer slow.
 */
export class CallWatch {
  private readonly known = new Map<string, Slowness>();
  private listener: () => void = () => undefined;

  /** @param listener is told of each call that turns out to be slow */
  onSlow(listener: () => void): void {
    this.listener = listener;
  }

  /** @param called agent or account that the call is to */
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

  /** Those who are slow now. */
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
