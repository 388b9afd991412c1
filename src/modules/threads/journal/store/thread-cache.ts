import { isLight, lightened, sizeOf, type ThreadState } from '../rules/thread-state.js';

interface Entry {
  state: ThreadState;
  bytes: number;
}

/** Threads without list elements are dropped first once they take more than this share of the memory. */
const LIGHT_SHARE = 1 / 4;

/**
 * The most recently written threads, in bounded memory. When it is full, the least recently used thread loses its lists' elements, which
 * take nearly all of the memory and which a continuing report does not need; later the thread is dropped.
 * Holds only committed states.
 */
export class ThreadCache {
  private readonly whole = new Entries();
  private readonly light = new Entries();

  /** @param maxBytes 0 keeps nothing */
  constructor(private readonly maxBytes: number) {}

  get(threadId: string): ThreadState | null {
    return this.whole.use(threadId) ?? this.light.use(threadId);
  }

  /** Does not count as a use. */
  peek(threadId: string): ThreadState | null {
    return this.whole.peek(threadId) ?? this.light.peek(threadId);
  }

  put(state: ThreadState): void {
    this.drop(state.row.id);
    this.add(sizeOf(state) > this.maxBytes / 2 ? lightened(state) : state);
    while (this.whole.bytes + this.light.bytes > this.maxBytes) this.makeRoom();
  }

  drop(threadId: string): void {
    this.whole.drop(threadId);
    this.light.drop(threadId);
  }

  private add(state: ThreadState): void {
    const bytes = sizeOf(state);
    if (bytes > this.maxBytes / 2) return;
    (isLight(state) ? this.light : this.whole).add({ state, bytes });
  }

  private makeRoom(): void {
    const hasManyLight = this.light.bytes > this.maxBytes * LIGHT_SHARE;
    const { state } = ((hasManyLight ? null : this.whole.oldest) ?? this.light.oldest)!;
    this.drop(state.row.id);
    const light = lightened(state);
    if (light !== state) this.add(light);
  }
}

/** Least recently used first. */
class Entries {
  private readonly byId = new Map<string, Entry>();
  /** The last entry, so that repeated use of one thread does not move it each time. */
  private newest: string | null = null;
  bytes = 0;

  get oldest(): Entry | null {
    return this.byId.values().next().value ?? null;
  }

  peek(threadId: string): ThreadState | null {
    return this.byId.get(threadId)?.state ?? null;
  }

  use(threadId: string): ThreadState | null {
    const entry = this.byId.get(threadId);
    if (!entry || threadId === this.newest) return entry?.state ?? null;
    this.byId.delete(threadId);
    this.byId.set(threadId, entry);
    this.newest = threadId;
    return entry.state;
  }

  add(entry: Entry): void {
    this.newest = entry.state.row.id;
    this.byId.set(this.newest, entry);
    this.bytes += entry.bytes;
  }

  drop(threadId: string): void {
    const entry = this.byId.get(threadId);
    if (!entry) return;
    this.byId.delete(threadId);
    if (threadId === this.newest) this.newest = null;
    this.bytes -= entry.bytes;
  }
}
