/**
 * Something that costs a question to the storage, asked for at most every `ttlMs`, however often it is read and by how many at once.
 * Null when the last question failed.
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

/** Scrapes come every 15 to 60 seconds; people who look on reload more often. */
export const STORAGE_READING_MS = 5000;
