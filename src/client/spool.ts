/** One event to deliver, as the exact JSON text to send. */
export interface OutgoingEvent {
  /** Events of one thread are delivered in order. */
  threadId: string;
  text: string;
}

export interface SpooledText {
  /** Assigned by the spool; grows with each event. */
  key: number;
  text: string;
}

/**
 * Holds events until the API has stored them. A spool is bounded: when it is full it drops the oldest events,
 * because an agent resumes from its last report.
 */
export interface Spool {
  /**
   * Appends events. When it resolves they are as durable as this spool makes them.
   * @returns how many of the oldest events it dropped to make room
   */
  append(events: readonly OutgoingEvent[]): Promise<number>;
  /**
   * The oldest events, in order: at least one if there is any, at most `maxEvents` and about `maxBytes`.
   * They stay until they are removed.
   */
  peek(maxEvents: number, maxBytes: number): Promise<readonly SpooledText[]>;
  /** Removes delivered events; ignores unknown keys. */
  remove(keys: readonly number[]): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** Upper bound of a string's bytes in memory: its UTF-8 length. */
function sizeOf({ text }: { text: string }): number {
  return Buffer.byteLength(text);
}

/** Keeps events in memory: they survive an outage of the API, but not the end of this process. */
export class MemorySpool implements Spool {
  private readonly waiting = new Map<number, SpooledText>();
  private bytes = 0;
  private nextKey = 1;

  /** @param maxBytes UTF-8 bytes of events that may wait; the newest event is kept even when it is larger alone */
  constructor(private readonly maxBytes = 64 * MEBIBYTE) {}

  async append(events: readonly OutgoingEvent[]): Promise<number> {
    for (const event of events) {
      const key = this.nextKey++;
      this.waiting.set(key, { key, text: event.text });
      this.bytes += sizeOf(event);
    }
    return this.makeRoom();
  }

  async peek(maxEvents: number, maxBytes: number): Promise<readonly SpooledText[]> {
    const found: SpooledText[] = [];
    let bytes = 0;
    for (const event of this.waiting.values()) {
      bytes += sizeOf(event);
      if (found.length > 0 && (found.length >= maxEvents || bytes > maxBytes)) break;
      found.push(event);
    }
    return found;
  }

  async remove(keys: readonly number[]): Promise<void> {
    for (const key of keys) this.forget(key);
  }

  private makeRoom(): number {
    let dropped = 0;
    for (const key of this.waiting.keys()) {
      if (this.bytes <= this.maxBytes || this.waiting.size <= 1) break;
      this.forget(key);
      dropped += 1;
    }
    return dropped;
  }

  private forget(key: number): void {
    const event = this.waiting.get(key);
    if (event === undefined) return;
    this.waiting.delete(key);
    this.bytes -= sizeOf(event);
  }
}
