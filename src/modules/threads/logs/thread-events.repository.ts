import { Injectable } from '@nestjs/common';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { Database } from '../../../database/database.js';
import type { ThreadEvent } from '../entities/thread-event.entity.js';

/** An event with the members of its run; null for an event without one. */
export interface ThreadEventRecord extends Omit<ThreadEvent, 'change_no'> {
  trace_id: string | null;
  parent_trace_id: string | null;
  agent_id: string | null;
  /** What the run had spent and its limit; only where it exceeded its budget. */
  run_cost_usd: number | null;
  budget_usd: number | null;
}

/** Reads the events of a thread that are not checkpoints. */
@Injectable()
export class ThreadEventsRepository {
  constructor(private readonly database: Database) {}

  /** In their order, after the change `afterSeq`. */
  after(threadPk: number, afterSeq: number, limit: number): Promise<ThreadEventRecord[]> {
    return this.database.read<ThreadEventRecord>(
      `SELECT e.*, r.trace_id, r.parent_trace_id, r.agent_id, ${spent('run_cost_usd')}, ${spent('budget_usd')}
       FROM thread_event e LEFT JOIN run r ON r.thread_pk = e.thread_pk AND r.run_no = e.run_no
       WHERE e.thread_pk = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3`,
      [threadPk, afterSeq, limit],
    );
  }
}

/** The figures of an exceeded budget stand in the run's checkpoint. */
function spent(column: 'run_cost_usd' | 'budget_usd'): string {
  return `CASE WHEN e.type = '${RUN_STATUS.budgetExceeded}' THEN (
    SELECT c.${column} FROM checkpoint c
    WHERE c.thread_pk = e.thread_pk AND c.run_no = e.run_no AND c.step_index = e.step_index AND c.is_current
    ORDER BY c.attempt DESC LIMIT 1) END AS ${column}`;
}
