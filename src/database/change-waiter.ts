/** Waits for successive changes and misses none between two calls. Also wakes when `end` aborts. */
export class ChangeWaiter {
  private isChanged = false;
  private wake: (() => void) | null = null;
  private readonly unsubscribe: () => void;
  private readonly onChange = () => this.note();

  /** @param subscribe starts a subscription and returns the function that ends it */
  constructor(
    subscribe: (listener: () => void) => () => void,
    private readonly end: AbortSignal,
  ) {
    this.unsubscribe = subscribe(this.onChange);
    end.addEventListener('abort', this.onChange);
  }

  async next(): Promise<void> {
    if (!this.isChanged && !this.end.aborted) await new Promise<void>((resolve) => (this.wake = resolve));
    this.isChanged = false;
  }

  stop(): void {
    this.unsubscribe();
    this.end.removeEventListener('abort', this.onChange);
  }

  private note(): void {
    this.isChanged = true;
    this.wake?.();
    this.wake = null;
  }
}
