import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Run } from './entities/run.entity.js';
import { REPORT_COLUMNS, type ReportRow } from './reading/report-row.js';
import type { ThreadItemRow } from './thread-item.js';
import { itemSql, unpackItem, type PackedItem } from './thread-item.sql.js';

/** A thread at the moment of a change. */
export interface ThreadVersion {
  pk: number;
  /** The number of its last change. */
  last_seq: number;
}

/** Reads single threads. */
@Injectable()
export class ThreadsRepository {
  constructor(private readonly database: Database) {}

  /** Null for an unknown thread, and for one that has no run yet. No id holds U+0000, which PostgreSQL would not even take as a value. */
  async findVersion(threadId: string): Promise<ThreadVersion | null> {
    if (threadId.includes('\0')) return null;
    const rows = await this.database.read<ThreadVersion>(
      `SELECT pk, last_seq FROM thread WHERE id = $1 AND run_count > 0`,
      [threadId],
    );
    return rows[0] ?? null;
  }

  async isThere(pk: number): Promise<boolean> {
    return (await this.database.read(`SELECT 1 FROM thread WHERE pk = $1`, [pk])).length > 0;
  }

  async findItem(threadId: string): Promise<ThreadItemRow | null> {
    if (threadId.includes('\0')) return null;
    const [row] = await this.database.read<PackedItem>(itemSql(this.database.dialect), [threadId]);
    return row ? unpackItem(row) : null;
  }

  /** In the order in which they were first seen. */
  runsOf(pk: number): Promise<Run[]> {
    return this.database.read<Run>(`SELECT * FROM run WHERE thread_pk = $1 ORDER BY run_no`, [pk]);
  }

  /** Checkpoints that were not replaced at the change `last_seq`, in the order in which they were reported, behind `afterSeq`. */
  async reportsAfter({ pk, last_seq }: ThreadVersion, afterSeq: number, limit: number): Promise<ReportRow[]> {
    const rows = await this.database.read<{ packed: string; run_cost_usd: number }>(
      `SELECT ${REPORT_COLUMNS.sql(this.database.dialect)}, run_cost_usd
       FROM checkpoint WHERE thread_pk = $1 AND seq > $2 AND seq <= $3 AND (is_current OR rev > $3) ORDER BY seq LIMIT $4`,
      [pk, afterSeq, last_seq, limit],
    );
    return rows.map((row) => REPORT_COLUMNS.unpack(row));
  }
}
