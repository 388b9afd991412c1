import type { OutgoingEvent, Spool, SpooledText } from '../../../client/spool.js';
import type { SqlSession } from '../../../database/database.js';
import type { SpoolRepository } from './spool.repository.js';

/** Oldest events examined together to make room. */
const ROOM_STEP = 100;
/** Events whose texts are read together: they may be large. */
const PEEK_STEP = 50;

/** How the spool changes: its size, and events dropped. */
interface Growth {
  bytes: number;
  dropped: number;
}

/**
 * An agent process's spool: a table, so that it survives crashes on either side. Events leave it only when delivered, or when it is full
 * and newer ones come.
 */
export class DurableSpool implements Spool {
  private bytes = 0;

  private constructor(
    private readonly repository: SpoolRepository,
    private readonly maxBytes: number,
  ) {}

  /** @param maxBytes UTF-8 bytes of waiting events; the newest is kept even if it is larger alone */
  static async open(repository: SpoolRepository, maxBytes: number): Promise<DurableSpool> {
    const spool = new DurableSpool(repository, maxBytes);
    spool.bytes = await repository.totalBytes();
    return spool;
  }

  /** @param inSameTransaction written in the same transaction, so that events and what they report are stored together or not at all */
  async append(
    events: readonly OutgoingEvent[],
    inSameTransaction?: (session: SqlSession) => Promise<void>,
  ): Promise<number> {
    const { bytes, dropped } = await this.repository.transaction(async (session) => {
      await inSameTransaction?.(session);
      return this.take(session, events);
    });
    this.bytes += bytes;
    return dropped;
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
    const freed = await this.repository.transaction((session) => this.repository.delete(session, keys));
    this.bytes -= freed;
  }

  /** Returns the growth once this is committed. */
  private async take(session: SqlSession, events: readonly OutgoingEvent[]): Promise<Growth> {
    const sized = events.map((event) => ({ ...event, bytes: Buffer.byteLength(event.text) }));
    await this.repository.insert(session, sized);
    const added = sized.reduce((sum, { bytes }) => sum + bytes, 0);
    const { bytes, dropped } = await this.makeRoom(session, this.bytes + added);
    return { bytes: added + bytes, dropped };
  }

  private async makeRoom(session: SqlSession, heldBytes: number): Promise<Growth> {
    let held = heldBytes;
    let dropped = 0;
    while (held > this.maxBytes) {
      const doomed = await this.oldestBeyond(session, held);
      if (doomed.length === 0) break;
      const freed = await this.repository.delete(session, doomed);
      held -= freed;
      dropped += doomed.length;
    }
    return { bytes: held - heldBytes, dropped };
  }

  /** The oldest events, never the newest, whose removal brings the spool within or closer to its limit. */
  private async oldestBeyond(session: SqlSession, heldBytes: number): Promise<number[]> {
    const oldest = await this.repository.sizes(session, ROOM_STEP + 1);
    const doomed: number[] = [];
    let left = heldBytes;
    for (const { key, bytes } of oldest.slice(0, -1)) {
      if (left <= this.maxBytes) break;
      doomed.push(key);
      left -= bytes;
    }
    return doomed;
  }
}
