/** Runs one piece of work repeatedly, never concurrently. Callers with work for it call `wake`, whether it is running or not. */
export class SingleFlight {
  private flight: Promise<void> | null = null;
  private isUnderWay = false;
  private isWanted = false;
  private hasStopped = false;

  /** @param work handles its own errors, because nobody awaits it. It may wake itself if it left something to do. */
  constructor(private readonly work: () => Promise<void>) {}

  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** Runs the work from its beginning: now, or again after the current run. */
  wake(): void {
    this.isWanted = true;
    this.startIfIdle();
  }

  /** Runs the work now, unless it is running. */
  startIfIdle(): void {
    if (this.isUnderWay || this.hasStopped) return;
    this.isUnderWay = true;
    this.flight = this.fly();
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.isUnderWay) await this.flight;
  }

  /** Starts nothing more. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    await this.idle();
  }

  private async fly(): Promise<void> {
    try {
      do {
        this.isWanted = false;
        await this.work();
      } while (this.isWanted && !this.hasStopped);
    } finally {
      // In the same turn as the last check of `isWanted`, so that no call is lost in between.
      this.isUnderWay = false;
    }
  }
}
