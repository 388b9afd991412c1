import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { HISTORY, HISTORY_META } from '../entities/message.entity.js';

/** One of a thread's two logs. */
export interface ElementsOf {
  threadPk: number;
  list: typeof HISTORY | typeof HISTORY_META;
}

@Injectable()
export class ElementsRepository {
  constructor(private readonly database: Database) {}

  /** Bytes of each element from place `from` to `to`, inclusive, without reading the elements. */
  async sizes({ threadPk, list }: ElementsOf, from: number, to: number): Promise<number[]> {
    const [row] = await this.database.read<{ sizes: string | null }>(
      `SELECT string_agg(CAST(bytes AS text), ',') AS sizes FROM (SELECT octet_length(body) AS bytes FROM message
       WHERE thread_pk = $1 AND list = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq) AS elements`,
      [threadPk, list, from, to],
    );
    return row?.sizes ? row.sizes.split(',').map(Number) : [];
  }

  /** For the few elements that were just added. */
  async bodies({ threadPk, list }: ElementsOf, from: number, to: number): Promise<string[]> {
    const rows = await this.database.read<{ body: string }>(
      `SELECT body FROM message WHERE thread_pk = $1 AND list = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq`,
      [threadPk, list, from, to],
    );
    return rows.map(({ body }) => body);
  }

  /**
   * The elements from `from` to `to`, separated by commas; joined in the database, because a row costs more than its text. SQLite returns
   * bytes, which saves decoding and encoding; PostgreSQL would write bytes in hexadecimal.
   */
  async joined({ threadPk, list }: ElementsOf, from: number, to: number): Promise<Buffer> {
    const joined = `string_agg(body, ',')`;
    const [row] = await this.database.read<{ body: Buffer | string | null }>(
      `SELECT ${this.database.dialect === 'sqlite' ? `CAST(${joined} AS BLOB)` : joined} AS body FROM (
         SELECT body FROM message WHERE thread_pk = $1 AND list = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq) AS elements`,
      [threadPk, list, from, to],
    );
    const body = row?.body ?? '';
    return typeof body === 'string' ? Buffer.from(body) : body;
  }
}
