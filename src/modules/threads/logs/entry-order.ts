/** The sort key of a log entry: the reported time, the change that brought it, its place within that change. */
export type EntryKey = readonly [ms: number, seq: number, index: number];

export interface KeyedEntry {
  key: EntryKey;
  text: string;
}

/** Precedes the first entry of every thread. */
export const BEFORE_ALL_ENTRIES: EntryKey = [-Infinity, 0, 0];

/** Characters of entries held at once, each with an allowance for its overhead. */
const HELD_CHARACTERS = 8 * 1024 * 1024;
const AROUND_AN_ENTRY = 200;

/** Entries of which only the smallest key is remembered. */
const CHUNK = 256;

export interface Stretch {
  /** Skips entries up to this one. */
  after?: EntryKey;
  /** Most entries returned. */
  atMost?: number;
  /** Limit of what is held; for tests. */
  heldCharacters?: number;
}

/**
 * Sorts the entries in bounded memory. Few entries are read once. Many are read repeatedly, and each is returned as soon as nothing smaller
 * can follow: the more they are out of order, the more passes. They must be the same each time.
 */
export async function* inOrder(
  read: () => AsyncIterable<KeyedEntry>,
  { after = BEFORE_ALL_ENTRIES, atMost = Infinity, heldCharacters = HELD_CHARACTERS }: Stretch = {},
): AsyncGenerator<KeyedEntry> {
  let [last, left]: [EntryKey, number] = [after, atMost];
  let lookout: Lookout | null = null;
  for (;;) {
    const pass: Pass = new Pass(last, left, heldCharacters, lookout);
    for await (const entry of pass.smallest(read())) {
      [last, left] = [entry.key, left - 1];
      yield entry;
      if (left === 0) return;
    }
    if (pass.refused.isEmpty) return;
    lookout = pass.refused.lookout();
  }
}

/** One pass over all entries: holds the smallest ones after `after` that fit. */
class Pass {
  readonly refused = new SmallestKeys();
  private held: (KeyedEntry & { chunk: number })[] = [];
  private characters = 0;
  private taken = 0;
  /** The smallest refused key: everything from here on is left to the next pass. */
  private bound: EntryKey | null = null;

  constructor(
    private readonly after: EntryKey,
    private readonly atMost: number,
    private readonly heldCharacters: number,
    /** What can still follow; null in the first pass, when that is unknown. */
    private readonly lookout: Lookout | null,
  ) {}

  /** The entries that fit, sorted, each as soon as nothing smaller can follow. */
  async *smallest(entries: AsyncIterable<KeyedEntry>): AsyncGenerator<KeyedEntry> {
    for await (const entry of entries) {
      const chunk = Math.floor(this.taken / CHUNK);
      this.taken += 1;
      if (compareKeys(entry.key, this.after) > 0) this.hold(entry, chunk);
      if (this.lookout !== null && this.taken % CHUNK === 0) yield* this.below(this.lookout.from(chunk + 1));
    }
    yield* this.held;
  }

  private hold(entry: KeyedEntry, chunk: number): void {
    if (this.bound !== null && compareKeys(entry.key, this.bound) >= 0) return this.refused.note(chunk, entry.key);
    this.held.splice(this.placeOf(entry.key), 0, { ...entry, chunk });
    this.characters += costOf(entry);
    while (this.held.length > 1 && (this.characters > this.heldCharacters || this.held.length > this.atMost)) {
      const largest = this.held.pop()!;
      this.characters -= costOf(largest);
      this.bound = largest.key;
      this.refused.note(largest.chunk, largest.key);
    }
  }

  private below(key: EntryKey | null): KeyedEntry[] {
    const ready = key === null ? this.held.splice(0) : this.held.splice(0, this.placeOf(key));
    for (const entry of ready) this.characters -= costOf(entry);
    return ready;
  }

  /** The position of a key among those held: usually at the end. */
  private placeOf(key: EntryKey): number {
    let [from, to] = [0, this.held.length];
    if (to > 0 && compareKeys(this.held[to - 1]!.key, key) < 0) return to;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compareKeys(this.held[middle]!.key, key) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The smallest key of each chunk among those left for later. */
class SmallestKeys {
  private readonly keys: (EntryKey | undefined)[] = [];

  get isEmpty(): boolean {
    return this.keys.length === 0;
  }

  note(chunk: number, key: EntryKey): void {
    const known = this.keys[chunk];
    if (known === undefined || compareKeys(key, known) < 0) this.keys[chunk] = key;
  }

  lookout(): Lookout {
    const smallest: EntryKey[] = [];
    let after: EntryKey | undefined;
    for (let chunk = this.keys.length - 1; chunk >= 0; chunk--) {
      const key = this.keys[chunk];
      if (key !== undefined && (after === undefined || compareKeys(key, after) < 0)) after = key;
      smallest[chunk] = after!;
    }
    return new Lookout(smallest);
  }
}

class Lookout {
  constructor(private readonly smallest: readonly EntryKey[]) {}

  /** The smallest key from this chunk on; null if nothing is left. */
  from(chunk: number): EntryKey | null {
    return this.smallest[chunk] ?? null;
  }
}

export function compareKeys(a: EntryKey, b: EntryKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function costOf({ text }: KeyedEntry): number {
  return text.length + AROUND_AN_ENTRY;
}
