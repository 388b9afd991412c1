import { isLight, lightened, sizeOf, type ThreadState } from '../rules/thread-state.js';

interface Entry {
  state: ThreadState;
  bytes: number;
}

/** Threads that lost the elements of their lists go first once they have more than this share of the memory. */
const LIGHT_SHARE = 1 / 4;

/**
 * The threads last written, in bounded memory. Where that is full, the longest untouched thread loses the elements of its lists, which
 * are nearly all of it and which a report that goes on from them does not need; later the thread itself is forgotten.
 * Only committed states get in.
 */
export class ThreadCache {
  /** Those with elements. */
  private readonly whole = new Entries();
  private readonly light = new Entries();

  /** @param maxBytes 0 keeps nothing */
  constructor(private readonly maxBytes: number) {}

  get(threadId: string): ThreadState | null {
    return this.whole.use(threadId) ?? this.light.use(threadId);
  }

  /** Looks without counting as a use. */
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

/** In the order of their last use. */
class Entries {
  private readonly byId = new Map<string, Entry>();
  /** The last in the order. Who asks for one thread again and again does not have it moved each time. */
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
