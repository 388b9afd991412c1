import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { IdleMemory } from './idle-memory.js';

const MIB = 1024 * 1024;
/** Longer than a collection takes in a process that has run many other tests. */
const INTERVAL_MS = 250;
const LIMIT_MS = 30_000;

/** A process that has grown by a load, whatever the one of this test takes. */
function growBy(mib: number): void {
  const { rss } = process.memoryUsage;
  const before = rss();
  const usage = { ...process.memoryUsage(), heapUsed: mib * MIB };
  const spy = jest.spyOn(process, 'memoryUsage').mockReturnValue(usage);
  Object.assign(spy, { rss: () => before + mib * MIB });
}

/** Collections that somebody asked for; the engine's own do not count. */
class AskedCollections {
  readonly kinds: number[] = [];
  private readonly observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags, kind } = (entry as PerformanceEntry & { detail: { flags: number; kind: number } }).detail;
      if ((flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) this.kinds.push(kind);
    }
  });

  constructor() {
    this.observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.observer.disconnect();
  }
}

describe('The memory of a server that rests', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is returned, though the check itself keeps the event loop busy, and compiled code stays', async () => {
    const found = { releases: 0, faults: [] as unknown[] };
    const release = () => Promise.resolve(void (found.releases += 1));
    const memory = new IdleMemory(release, (error) => found.faults.push(error));
    const collections = new AskedCollections();
    growBy(64);
    memory.start(INTERVAL_MS);
    try {
      const deadline = performance.now() + LIMIT_MS;
      const isDone = () => collections.kinds.length >= 2 && found.releases === 2;
      while (!isDone() && performance.now() < deadline) await pause(INTERVAL_MS);
      expect(found).toEqual({ releases: 2, faults: [] });
      expect(collections.kinds).toEqual(Array(2).fill(constants.NODE_PERFORMANCE_GC_MINOR));
    } finally {
      await memory.stop();
      collections.stop();
    }
  });
});
