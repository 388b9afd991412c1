import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../../../database/advisory-locks.js';
import { Database, type BoundStatement, type SqlSession } from '../../../database/database.js';

/** Bytes per piece. */
export const PIECE_BYTES = 256 * 1024;

/** Bytes encoded or decoded at once, a multiple of 3. V8 is late to free strings of 128 KiB and more. */
const PART_BYTES = 63 * 1024;

/** Pieces deleted per transaction; writers wait some milliseconds for it. */
const CHUNK = 8;

/** A file that an agent has uploaded for the chat of a thread. */
export interface StoredFile {
  threadId: string;
  /** SHA-256, in hexadecimal. */
  digest: string;
  sizeBytes: number;
}

/** The files that agents send to chats, stored in pieces until they are sent. */
@Injectable()
export class AttachmentBytesRepository {
  constructor(private readonly database: Database) {}

  /** The agent whose conversation in a chat the thread is; null if it is none. */
  async findAgentOfChat(threadId: string): Promise<string | null> {
    if (threadId.includes('\0')) return null;
    const sql = 'SELECT agent_name FROM channel_session WHERE thread_id = $1';
    return (await this.database.read<{ agent_name: string }>(sql, [threadId]))[0]?.agent_name ?? null;
  }

  /** Reserves space for an upload. @returns false if there is not enough */
  begin(id: string, sizeBytes: number, maxBytes: number, nowMs: number): Promise<boolean> {
    return this.database.transaction(async (session) => {
      // Two concurrent counts would not see each other.
      if (this.database.isShared)
        await session.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.attachmentSpace})`);
      const rows = await session.query(
        `INSERT INTO attachment (id, thread_id, digest, size_bytes, created_at)
         SELECT CAST($1 AS text), NULL, NULL, CAST($2 AS integer), CAST($3 AS bigint)
         WHERE (SELECT COALESCE(SUM(size_bytes), 0) FROM attachment) + $2 <= $4 RETURNING id`,
        [id, sizeBytes, nowMs, maxBytes],
      );
      return rows.length > 0;
    });
  }

  /** @returns false if the upload was given up and its bytes are being removed */
  async addPiece(id: string, pieceNo: number, bytes: Buffer): Promise<boolean> {
    // The lock keeps the upload from being removed before its piece is visible.
    const locking = this.database.isShared ? 'FOR SHARE' : '';
    const sql = `INSERT INTO attachment_piece (attachment_id, piece_no, data)
      SELECT id, CAST($1 AS integer), CAST($2 AS text) FROM attachment WHERE id = $3 AND created_at > 0 ${locking}
      RETURNING piece_no`;
    const add = (session: SqlSession) => session.query(sql, [pieceNo, encoded(bytes), id]);
    return (await this.database.transaction(add)).length > 0;
  }

  /**
   * Completes an upload.
   * @returns `there` if the thread already has the file, which then counts as new; `gone` as `addPiece`
   */
  finish(id: string, { threadId, digest, sizeBytes }: StoredFile, nowMs: number): Promise<'stored' | 'there' | 'gone'> {
    return this.database.transaction(async (session) => {
      if (await this.touchWithin(session, threadId, digest, nowMs)) return 'there';
      const rows = await session.query(
        `UPDATE attachment SET thread_id = $1, digest = $2, size_bytes = $3, created_at = $4
         WHERE id = $5 AND created_at > 0 RETURNING id`,
        [threadId, digest, sizeBytes, nowMs, id],
      );
      return rows.length > 0 ? 'stored' : 'gone';
    });
  }

  /** Makes a stored file count as new. @returns whether it is stored */
  touch(threadId: string, digest: string, nowMs: number): Promise<boolean> {
    return this.database.transaction((session) => this.touchWithin(session, threadId, digest, nowMs));
  }

  private async touchWithin(session: SqlSession, threadId: string, digest: string, nowMs: number): Promise<boolean> {
    const rows = await session.query(
      'UPDATE attachment SET created_at = $1 WHERE thread_id = $2 AND digest = $3 RETURNING id',
      [nowMs, threadId, digest],
    );
    return rows.length > 0;
  }

  /** Hides the file; its bytes are removed soon. */
  async discard(id: string): Promise<void> {
    await this.database.transaction((session) =>
      session.query('UPDATE attachment SET thread_id = NULL, created_at = 0 WHERE id = $1', [id]),
    );
  }

  /** For the transaction that deletes a thread: hides its files; their bytes are removed soon. */
  discardStatement(threadId: string): BoundStatement {
    const sql = 'UPDATE attachment SET thread_id = NULL, created_at = 0 WHERE thread_id = $1';
    return { sql, params: [threadId] };
  }

  /** Null if there is none. */
  async find(threadId: string, digest: string): Promise<(StoredFile & { id: string }) | null> {
    const sql = 'SELECT id, size_bytes FROM attachment WHERE thread_id = $1 AND digest = $2';
    const [row] = await this.database.read<{ id: string; size_bytes: number }>(sql, [threadId, digest]);
    return row ? { id: row.id, threadId, digest, sizeBytes: Number(row.size_bytes) } : null;
  }

  /** The bytes from the beginning. @throws Error if the file is removed meanwhile */
  async *bytesOf({ id, sizeBytes }: Pick<StoredFile, 'sizeBytes'> & { id: string }): AsyncGenerator<Buffer> {
    for (let from = 0; from < sizeBytes;) {
      const bytes = await this.partOf(id, Math.floor(from / PIECE_BYTES), from % PIECE_BYTES);
      from += bytes.length;
      yield bytes;
    }
  }

  private async partOf(id: string, pieceNo: number, from: number): Promise<Buffer> {
    const sql = `SELECT substr(data, CAST($1 AS integer), ${(PART_BYTES / 3) * 4}) AS data
      FROM attachment_piece WHERE attachment_id = $2 AND piece_no = $3`;
    const [row] = await this.database.read<{ data: string }>(sql, [(from / 3) * 4 + 1, id, pieceNo]);
    if (!row?.data) throw new Error('The file was removed while it was read.');
    const bytes = Buffer.from(row.data, 'base64');
    // Otherwise the text waits for a full garbage collection: chained promises still refer to the row.
    row.data = '';
    return bytes;
  }

  /** Hides the files from before `beforeMs`. */
  async discardOld(beforeMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        'UPDATE attachment SET thread_id = NULL, created_at = 0 WHERE thread_id IS NOT NULL AND created_at < $1',
        [beforeMs],
      ),
    );
  }

  /** Hidden files, and uploads that began before then and never finished. */
  async findLost(beforeMs: number, limit: number): Promise<string[]> {
    const sql =
      'SELECT id FROM attachment WHERE thread_id IS NULL AND created_at < $1 ORDER BY created_at, id LIMIT $2';
    return (await this.database.read<{ id: string }>(sql, [beforeMs, limit])).map(({ id }) => id);
  }

  /** Removes some bytes of such a file, which can no longer be completed. @returns whether there may be more */
  removeSome(id: string): Promise<boolean> {
    return this.database.transaction(async (session) => {
      const lost = 'UPDATE attachment SET created_at = 0 WHERE id = $1 AND thread_id IS NULL RETURNING id';
      if ((await session.query(lost, [id])).length === 0) return false;
      const pieces = await session.query(
        `DELETE FROM attachment_piece WHERE attachment_id = $1 AND piece_no IN
           (SELECT piece_no FROM attachment_piece WHERE attachment_id = $1 ORDER BY piece_no LIMIT ${CHUNK})
         RETURNING piece_no`,
        [id],
      );
      if (pieces.length === CHUNK) return true;
      await session.query('DELETE FROM attachment WHERE id = $1', [id]);
      return false;
    });
  }

  /** Frees the space of removed pieces. */
  async reclaim(stop: AbortSignal): Promise<void> {
    await this.database.reclaim(['attachment', 'attachment_piece'], stop);
  }
}

/** The bytes in base64, as the bytes of the text. */
function encoded(bytes: Buffer): Buffer {
  const text = Buffer.allocUnsafe(Math.ceil(bytes.length / 3) * 4);
  let length = 0;
  for (let from = 0; from < bytes.length; from += PART_BYTES)
    length += text.write(bytes.toString('base64', from, Math.min(from + PART_BYTES, bytes.length)), length, 'latin1');
  return text;
}
