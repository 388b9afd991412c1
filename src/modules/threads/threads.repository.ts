import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Run } from './entities/run.entity.js';
import type { ThreadEvent } from './entities/thread-event.entity.js';
import type { ReportRow } from './reading/report-row.js';
import type { ThreadItemRow } from './thread-item.js';
import { itemSql, unpackItem, type PackedItem } from './thread-item.sql.js';

/** Reads single threads. */
@Injectable()
export class ThreadsRepository {
  constructor(private readonly database: Database) {}

  async findPk(threadId: string): Promise<number | null> {
    const rows = await this.database.read<{ pk: number }>(`SELECT pk FROM thread WHERE id = $1`, [threadId]);
    return rows[0]?.pk ?? null;
  }

  async isThere(pk: number): Promise<boolean> {
    return (await this.database.read(`SELECT 1 FROM thread WHERE pk = $1`, [pk])).length > 0;
  }

  async findItem(threadId: string): Promise<ThreadItemRow | null> {
    const [row] = await this.database.read<PackedItem>(itemSql(this.database.dialect), [threadId]);
    return row ? unpackItem(row) : null;
  }

  /** In the order in which they were first seen. */
  runsOf(pk: number): Promise<Run[]> {
    return this.database.read<Run>(`SELECT * FROM run WHERE thread_pk = $1 ORDER BY run_no`, [pk]);
  }

  /** Checkpoints that are not replaced, in the order in which they were reported, from `afterSeq` on. */
  reportsAfter(pk: number, afterSeq: number, limit: number): Promise<ReportRow[]> {
    return this.database.read<ReportRow>(
      `SELECT seq, run_no, attempt, step_index, is_initial, agent_id, tokens_used, run_cost_usd, budget_usd,
         history, history_meta, created_at
       FROM checkpoint WHERE thread_pk = $1 AND seq > $2 AND is_current ORDER BY seq LIMIT $3`,
      [pk, afterSeq, limit],
    );
  }

  /** What belongs into the logs beside the messages. */
  loggedEventsOf(pk: number): Promise<ThreadEvent[]> {
    return this.database.read<ThreadEvent>(
      `SELECT * FROM thread_event WHERE thread_pk = $1 AND kind IN ('log', 'status') ORDER BY seq`,
      [pk],
    );
  }
}
