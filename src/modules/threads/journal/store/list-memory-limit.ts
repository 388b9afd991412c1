import { evict, sizeOfLists, sizeOfTexts, type RunState } from '../rules/thread-state.js';

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Limits the memory of lists in a transaction. Many small reports may each continue a long list, and each list would stay until the commit;
 * above the limit, the least recently used runs evict theirs.
 */
export class ListMemoryLimit {
  private readonly held = new Map<RunState, number>();
  private bytes = 0;
  /** Bytes of loaded runs' texts, which stay until the transaction ends. */
  loadedBytes = 0;

  noteLoaded(run: RunState): RunState {
    this.loadedBytes += sizeOfTexts(run);
    return run;
  }

  /** Call this after each change of a run. */
  note(run: RunState): void {
    this.forget(run);
    const bytes = sizeOfLists(run);
    this.held.set(run, bytes);
    this.bytes += bytes;
    for (const earlier of this.held.keys()) {
      if (this.bytes <= MOST_BYTES || earlier === run) return;
      this.forget(earlier);
      earlier.history = evict(earlier.history);
      earlier.meta = evict(earlier.meta);
    }
  }

  private forget(run: RunState): void {
    this.bytes -= this.held.get(run) ?? 0;
    this.held.delete(run);
  }
}
