import { evict, sizeOfLists, sizeOfTexts, type RunState } from '../rules/thread-state.js';

/** Bytes that the lists of all runs may take together in a transaction. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The runs in a transaction whose lists are in memory, those of all its threads. Small reports in runs of their own may all go on from long lists, and
 * each would hold one until the commit: above a limit, those that were touched longest ago leave theirs in their rows.
 */
export class ListMemoryLimit {
  private readonly held = new Map<RunState, number>();
  private bytes = 0;
  /** Of the texts of runs that were read: they stay until the transaction ends. */
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
