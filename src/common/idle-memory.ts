import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PeriodicJob } from './periodic-job.js';
import { RestWatch } from './rest-watch.js';

const CHECK_MS = 5_000;
/** Bytes in use up to which the whole heap is collected: that holds requests up for about a millisecond for each megabyte. */
const MAX_HEAP_BYTES = 192 * 1024 * 1024;
/**
 * Bytes of a block that the process frees once, so that the C library keeps free memory for the next requests: glibc keeps up to twice the
 * largest block that was ever freed (`M_TRIM_THRESHOLD` in mallopt(3)). With what a start leaves, 0.8 MB, answers of 0.5 MB took twice the
 * CPU, because the memory of each went back to the system.
 */
const FREED_ONCE_BYTES = 2 * 1024 * 1024;

/**
 * Returns what a load leaves behind once the server rests: the room for new objects and what `release` frees, and after a long rest all
 * garbage. The engine would keep it until the next load, because without allocations it sees no reason to collect.
 *
 * Most rests are short, and a collection of the whole heap costs the next load dearly: where no request is under way, the shapes of its
 * objects have died with them, and the engine throws away the code that it had compiled for them. The first two thousand reports then
 * took twice the CPU.
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
    Buffer.allocUnsafeSlow(FREED_ONCE_BYTES); // the next collection frees it; nobody writes to it, so it takes no memory
    this.job.start(intervalMs);
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  private async check(): Promise<void> {
    const due = this.watch.dueRelease(this.utilization(), process.memoryUsage.rss());
    if (due === null) return;
    // At once: a load that begins later would be held up by it.
    if (due === 'room') collectGarbage(false);
    else if (process.memoryUsage().heapUsed <= MAX_HEAP_BYTES) collectGarbage(true);
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

/**
 * The flag is set only for a moment: what the engine compiled earlier is valid for its usual flags alone.
 * @param isWhole of the whole heap, and not of new objects alone
 */
function collectGarbage(isWhole: boolean): void {
  setFlagsFromString('--expose-gc');
  try {
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    if (isWhole) collect();
    else collect({ type: 'minor' });
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
