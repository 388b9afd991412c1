import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PeriodicJob } from './periodic-job.js';
import { RestWatch } from './rest-watch.js';

const CHECK_MS = 5_000;
/** Bytes in use up to which the heap is collected: that holds requests up for about a millisecond for each megabyte. */
const MAX_HEAP_BYTES = 192 * 1024 * 1024;

/**
 * Returns what a load leaves behind once the server rests: garbage, the room for new objects, and what `release` frees. The engine would
 * keep all of it until the next load, because without allocations it sees no reason to collect.
 */
export class IdleMemory {
  private readonly watch = new RestWatch(process.memoryUsage.rss());
  private readonly job: PeriodicJob;
  private before = performance.eventLoopUtilization();

  /** @param release frees what is outside of the engine's heap */
  constructor(
    private readonly release: () => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.job = new PeriodicJob(() => this.check(), onError);
  }

  /** @param intervalMs between two looks at the server */
  start(intervalMs = CHECK_MS): void {
    this.job.start(intervalMs);
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  private async check(): Promise<void> {
    if (!this.watch.shallRelease(this.utilization(), process.memoryUsage.rss())) return;
    // At once: a load that begins later would be held up by it.
    if (process.memoryUsage().heapUsed <= MAX_HEAP_BYTES) collectGarbage();
    await this.release();
  }

  /** Share of the time since the last time that the event loop was busy. */
  private utilization(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.before);
    this.before = now;
    return utilization;
  }
}

/** The flag is set only for a moment: what the engine compiled earlier is valid for its usual flags alone. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  try {
    (runInNewContext('gc') as () => void)();
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
