import { sizeOf, type ThreadState } from './thread-state.js';

interface Entry {
  state: ThreadState;
  bytes: number;
}

/** The threads last written, in bounded memory: the longest untouched goes first. Only committed states get in. */
export class ThreadCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  /** @param maxBytes 0 keeps nothing */
  constructor(private readonly maxBytes: number) {}

  get(threadId: string): ThreadState | null {
    const entry = this.entries.get(threadId);
    if (!entry) return null;
    this.entries.delete(threadId);
    this.entries.set(threadId, entry);
    return entry.state;
  }

  /** Looks without counting as a use. */
  peek(threadId: string): ThreadState | null {
    return this.entries.get(threadId)?.state ?? null;
  }

  put(state: ThreadState): void {
    this.drop(state.row.id);
    const bytes = sizeOf(state);
    if (bytes > this.maxBytes / 2) return;
    this.entries.set(state.row.id, { state, bytes });
    this.bytes += bytes;
    for (const [id] of this.entries) {
      if (this.bytes <= this.maxBytes) break;
      this.drop(id);
    }
  }

  drop(threadId: string): void {
    const entry = this.entries.get(threadId);
    if (!entry) return;
    this.entries.delete(threadId);
    this.bytes -= entry.bytes;
  }
}
