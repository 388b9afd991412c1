import { SingleFlight } from './single-flight.js';

/**
 * A service's periodic work, timed by monotonic time, because clocks can be set. Rounds never overlap, and a failed one is made up for by
 * the next. It does not keep the process alive.
 */
export class PeriodicJob {
  private readonly rounds: SingleFlight;
  private timer?: NodeJS.Timeout;

  /** @param onError gets what `work` throws */
  constructor(work: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.rounds = new SingleFlight(async () => {
      await work().catch(onError);
    });
  }

  /** Lets work of many steps end early. */
  get isStopped(): boolean {
    return this.rounds.isStopped;
  }

  /** The first round comes after one interval. @param intervalMs up to 2^31 - 1 */
  start(intervalMs: number): void {
    this.timer = setInterval(() => this.runNow(), intervalMs).unref();
  }

  /** Starts a round early, unless one is running. */
  runNow(): void {
    this.rounds.startIfIdle();
  }

  /** Starts no more rounds. Resolves when the running one has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.rounds.stop();
  }
}
