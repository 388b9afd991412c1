import { setTimeout as pause } from 'node:timers/promises';
import { IdleMemory } from './idle-memory.js';

const MIB = 1024 * 1024;
const INTERVAL_MS = 40;
const LIMIT_MS = 10_000;

function heapBytes(): number {
  return process.memoryUsage().heapUsed;
}

/** Takes memory as a load does, and keeps none of it. */
function makeObjects(): number {
  return Array.from({ length: 600_000 }, (_, number) => ({ number, next: [number] })).length;
}

describe('The memory of a server that rests', () => {
  it('is returned, though the check itself keeps the event loop busy', async () => {
    let releases = 0;
    const release = () => Promise.resolve(void (releases += 1));
    const faults: unknown[] = [];
    const memory = new IdleMemory(release, (error) => faults.push(error));
    makeObjects();
    const before = heapBytes();
    const isDone = () => before - heapBytes() > 32 * MIB && releases === 2;
    memory.start(INTERVAL_MS);
    try {
      const deadline = performance.now() + LIMIT_MS;
      while (!isDone() && performance.now() < deadline) await pause(INTERVAL_MS);
      expect({ isDone: isDone(), releases, faults }).toEqual({ isDone: true, releases: 2, faults: [] });
    } finally {
      await memory.stop();
    }
  });
});
