const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Times of day that never come because the clocks go forward. */
export interface SkippedTimes {
  /** When the clocks go forward: milliseconds since 1970. */
  atMs: number;
  /** The first skipped time and the first one that exists again: wall-clock times, as if they were UTC. */
  fromWallMs: number;
  toWallMs: number;
}

/** When the clocks of a time zone go forward. */
export class ForwardChanges {
  private static readonly zones = new Map<string, ForwardChanges>();

  /** By requested year: a lookup costs some milliseconds. */
  private readonly years = new Map<number, readonly SkippedTimes[]>();
  private readonly format: Intl.DateTimeFormat;

  private constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: timezone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric' },
    });
  }

  static of(timezone: string): ForwardChanges {
    let changes = this.zones.get(timezone);
    if (changes === undefined) this.zones.set(timezone, (changes = new ForwardChanges(timezone)));
    return changes;
  }

  /** Changes after `fromMs` and before `toMs`, ascending. */
  *between(fromMs: number, toMs: number): Generator<SkippedTimes> {
    const last = new Date(toMs).getUTCFullYear();
    for (let year = new Date(fromMs).getUTCFullYear(); year <= last; year++) {
      for (const change of this.ofYear(year)) if (change.atMs > fromMs && change.atMs < toMs) yield change;
    }
  }

  private ofYear(year: number): readonly SkippedTimes[] {
    let found = this.years.get(year);
    if (found === undefined) this.years.set(year, (found = [...this.search(year)]));
    return found;
  }

  /** No zone changes its clocks twice within a day. */
  private *search(year: number): Generator<SkippedTimes> {
    const endMs = Date.UTC(year + 1, 0, 1);
    let before = this.offsetAt(Date.UTC(year, 0, 1));
    for (let dayMs = Date.UTC(year, 0, 1); dayMs < endMs; dayMs += DAY_MS) {
      const after = this.offsetAt(dayMs + DAY_MS);
      if (after > before) {
        const atMs = this.minuteOfChange(dayMs, before);
        yield { atMs, fromWallMs: atMs + before, toWallMs: atMs + after };
      }
      before = after;
    }
  }

  private minuteOfChange(dayMs: number, offsetBefore: number): number {
    let [low, high] = [0, DAY_MS / MINUTE_MS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(dayMs + middle * MINUTE_MS) === offsetBefore) low = middle;
      else high = middle;
    }
    return dayMs + high * MINUTE_MS;
  }

  /** Milliseconds ahead of UTC at a full minute. */
  private offsetAt(ms: number): number {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = this.format.format(ms).match(/\d+/g)!.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute) - ms;
  }
}
