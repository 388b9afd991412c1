/**
 * Runs one piece of work again and again, but never twice at a time. Callers that have something for it to do call `wake`, whether it
 * is under way or not.
 */
export class SingleFlight {
  private flight: Promise<void> | null = null;
  private isUnderWay = false;
  private isWanted = false;
  private hasStopped = false;

  /** @param work handles its own errors: nobody waits for it. It may wake itself when it left something to do. */
  constructor(private readonly work: () => Promise<void>) {}

  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** Has the work run from its beginning: now, or once more after the run that is under way. */
  wake(): void {
    this.isWanted = true;
    this.startIfIdle();
  }

  /** Has the work run now, unless it is under way. */
  startIfIdle(): void {
    if (this.isUnderWay || this.hasStopped) return;
    this.isUnderWay = true;
    this.flight = this.fly();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.isUnderWay) await this.flight;
  }

  /** Starts nothing more. Resolves when the run that is under way has ended. */
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
      // In the same turn as the last look at `isWanted`, so that no call is lost in between.
      this.isUnderWay = false;
    }
  }
}
