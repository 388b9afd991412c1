import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { threadNotFound } from '../threads.contract.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { OrderEvent } from './run-orders.json.js';
import { ERROR_OF_RUN, LISTED_RUN_COLUMNS, type ListedRun } from './listed-run.js';
import type { ThreadItemRow } from '../list/thread-item.json.js';
import type { FlagColumns } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { itemSql } from '../list/thread-item.sql.js';

@Injectable()
export class ThreadDetailRepository {
  constructor(
    private readonly database: Database,
    private readonly flags: ThreadFlagsService,
  ) {}

  async findItem(threadId: string): Promise<(ThreadItemRow & FlagColumns) | null> {
    if (threadId.includes('\0')) return null;
    const sql = itemSql('id', this.flags);
    const [row] = await this.database.read<ThreadItemRow & FlagColumns>(sql, [this.flags.silentBeforeMs(), threadId]);
    return row ?? null;
  }

  /** Oldest first. */
  runsOf(pk: number): Promise<ListedRun[]> {
    return this.database.read<ListedRun>(`SELECT ${LISTED_RUN_COLUMNS} FROM run WHERE thread_pk = $1 ORDER BY run_no`, [
      pk,
    ]);
  }

  /** The runs' retries and cancellations, oldest first. */
  ordersOf(pk: number): Promise<OrderEvent[]> {
    return this.database.read<OrderEvent>(
      `SELECT run_no, kind, data, created_at FROM thread_event
       WHERE thread_pk = $1 AND (kind = 'retry' OR (
         kind = 'status' AND type = '${RUN_STATUS.cancelled}' AND (data IS NOT NULL OR step_index IS NOT NULL)
       )) ORDER BY seq`,
      [pk],
    );
  }

  /** The run with its error. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async whole(pk: number, run: ListedRun): Promise<ListedRun> {
    if (!run.is_long) return run;
    const [row] = await this.database.read<Pick<ListedRun, 'error'>>(ERROR_OF_RUN, [pk, run.run_no]);
    if (!row) throw threadNotFound();
    return { ...run, ...row };
  }
}
