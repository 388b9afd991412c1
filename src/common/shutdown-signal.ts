/**
 * Tells long polls and streams that the process is about to stop, so that they end by themselves.
 * Fires once, before waiting for requests in flight.
 */
export class ShutdownSignal {
  private readonly controller = new AbortController();

  /** Aborted from the start of the shutdown. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isShuttingDown(): boolean {
    return this.controller.signal.aborted;
  }

  begin(): void {
    this.controller.abort();
  }
}
