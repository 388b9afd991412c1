import type { OutgoingEvent, Spool, SpooledText } from '../../../client/spool.js';
import type { SqlSession } from '../../../database/database.js';
import type { SpoolRepository } from './spool.repository.js';

/** How many of the oldest events are looked at together to make room. */
const ROOM_STEP = 100;
/** Texts of this many events are read together at most: they may be large. */
const PEEK_STEP = 50;

/**
 * The spool of an agent process: a table, so that it survives the end of either side. Events leave it only when they were
 * delivered, or when it is full and younger ones come.
 */
export class DurableSpool implements Spool {
  private bytes = 0;

  private constructor(
    private readonly repository: SpoolRepository,
    private readonly maxBytes: number,
  ) {}

  /** @param maxBytes UTF-8 bytes of events that may wait; the newest event is kept even when it is larger alone */
  static async open(repository: SpoolRepository, maxBytes: number): Promise<DurableSpool> {
    const spool = new DurableSpool(repository, maxBytes);
    spool.bytes = await repository.totalBytes();
    return spool;
  }

  append(events: readonly OutgoingEvent[]): Promise<number> {
    return this.repository.transaction((session) => this.appendWithin(session, events));
  }

  /** The same as part of a transaction, so that events and what they stand for are there together or not at all. */
  async appendWithin(session: SqlSession, events: readonly OutgoingEvent[]): Promise<number> {
    const sized = events.map((event) => ({ ...event, bytes: Buffer.byteLength(event.text) }));
    await this.repository.insert(session, sized);
    this.bytes += sized.reduce((sum, { bytes }) => sum + bytes, 0);
    return this.makeRoom(session);
  }

  async peek(maxEvents: number, maxBytes: number): Promise<readonly SpooledText[]> {
    const found: SpooledText[] = [];
    let bytes = 0;
    for (const event of await this.repository.list(Math.min(maxEvents, PEEK_STEP))) {
      bytes += event.bytes;
      if (found.length > 0 && bytes > maxBytes) break;
      found.push({ key: event.key, text: event.text });
    }
    return found;
  }

  async remove(keys: readonly number[]): Promise<void> {
    this.bytes -= await this.repository.transaction((session) => this.repository.delete(session, keys));
  }

  private async makeRoom(session: SqlSession): Promise<number> {
    let dropped = 0;
    while (this.bytes > this.maxBytes) {
      const oldest = await this.repository.sizes(session, ROOM_STEP + 1);
      const doomed: number[] = [];
      let left = this.bytes;
      for (const { key, bytes } of oldest.slice(0, -1)) {
        if (left <= this.maxBytes) break;
        doomed.push(key);
        left -= bytes;
      }
      if (doomed.length === 0) break;
      this.bytes -= await this.repository.delete(session, doomed);
      dropped += doomed.length;
    }
    return dropped;
  }
}
