import { SingleFlight } from './single-flight.js';

/**
 * A service's own work at an interval, by the time that passes and not by the clock, which somebody may set. A round that takes
 * longer than the interval is not piled upon; one that fails is made up for by the next. It keeps no process alive.
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

  /** For work of many steps, which then ends early. */
  get isStopped(): boolean {
    return this.rounds.isStopped;
  }

  /** The first round comes after one interval. @param intervalMs up to 2^31 - 1 */
  start(intervalMs: number): void {
    this.timer = setInterval(() => this.runNow(), intervalMs).unref();
  }

  /** Begins a round before its time, unless one is under way. */
  runNow(): void {
    this.rounds.startIfIdle();
  }

  /** Begins no more rounds. Resolves when the one under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.rounds.stop();
  }
}
