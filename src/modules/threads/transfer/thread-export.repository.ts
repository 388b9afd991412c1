import { Injectable } from '@nestjs/common';
import { Database, type Snapshot, type SqlReader, type SqlRow, type SqlValue } from '../../../database/database.js';
import type { TableShape } from './table-shapes.js';

/** Rows whose sizes are read together, and bytes of text read at once (at least one row). */
const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;

@Injectable()
export class ThreadExportRepository {
  constructor(private readonly database: Database) {}

  snapshot(): Promise<Snapshot> {
    return this.database.snapshot();
  }

  /** The thread's row with all columns; null if there is none. */
  async findThread(reader: SqlReader, threadId: string): Promise<(SqlRow & { pk: number }) | null> {
    const rows = await reader.query<SqlRow & { pk: number }>('SELECT * FROM thread WHERE id = $1', [threadId]);
    return rows[0] ?? null;
  }

  /** All rows of a thread in a table, in pages of bounded size. */
  async *pages(reader: SqlReader, { table, keys, names, texts }: TableShape, pk: number): AsyncGenerator<SqlRow[]> {
    const order = keys.join(', ');
    const bytes = texts.map((name) => `COALESCE(octet_length(${name}), 0)`).join(' + ') || '0';
    let after: SqlValue[] = [];
    for (;;) {
      const behind = after.length === 0 ? '' : `AND (${order}) > (${after.map((_, at) => `$${at + 2}`).join(', ')})`;
      const from = `FROM ${table} WHERE thread_pk = $1 ${behind} ORDER BY ${order}`;
      const params = [pk, ...after];
      const sizes = await reader.query<{ bytes: number }>(
        `SELECT ${bytes} AS bytes ${from} LIMIT ${PAGE_ROWS}`,
        params,
      );
      if (sizes.length === 0) return;
      const limit = `LIMIT $${params.length + 1}`;
      const rows = await reader.query(`SELECT ${names.join(', ')} ${from} ${limit}`, [...params, fitting(sizes)]);
      yield rows;
      const last = rows.at(-1)!;
      after = keys.map((key) => last[key] as SqlValue);
    }
  }
}

function fitting(sizes: readonly { bytes: number }[]): number {
  let sum = 0;
  const end = sizes.findIndex(({ bytes }) => (sum += Number(bytes)) > PAGE_BYTES);
  return end < 0 ? sizes.length : Math.max(1, end);
}
