/**
 * A value that costs a query. However often it is read, the query runs at most once per `ttlMs`. Null if the last query failed.
 */
export class CachedReading<T> {
  private reading: Promise<T | null> | null = null;
  private readUntilMs = 0;

  constructor(
    private readonly ttlMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  get(): Promise<T | null> {
    const nowMs = performance.now();
    if (this.reading === null || nowMs >= this.readUntilMs) {
      this.readUntilMs = nowMs + this.ttlMs;
      this.reading = this.read().catch(() => null);
    }
    return this.reading;
  }
}

/** Milliseconds. Scrapes come every 15 to 60 seconds; people reload more often. */
export const STORAGE_READING_MS = 5000;
