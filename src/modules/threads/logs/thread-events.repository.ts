import { Injectable } from '@nestjs/common';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { Database } from '../../../database/database.js';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';
import { SHOWN_LENGTH } from '../shapes/json-text.js';
import { threadNotFound } from '../threads.contract.js';
import type { ThreadEvent } from '../entities/thread-event.entity.js';

/** An event with its run's members, which are null for an event without a run. */
export interface ThreadEventRecord extends Omit<ThreadEvent, 'change_no'> {
  trace_id: string | null;
  parent_trace_id: string | null;
  agent_id: string | null;
  /** The run's cost and budget, for an exceeded budget whose event does not have them. */
  run_cost_usd: number | null;
  budget_usd: number | null;
  /** Characters of the data if `data` is only its beginning; null if it is whole. */
  cut_length: number | null;
}

export interface PagedEvent extends ThreadEventRecord {
  /** The page leaves out its data because of the length: read it separately. */
  is_long: boolean;
}

/** Bytes of an event's data up to which its page includes it. */
const SHORT_BYTES = 16 * 1024;
/** Bytes that are certainly more characters than may be shown. */
const UNSHOWN_BYTES = 3 * MAX_PARSED_LENGTH;

/** Reads a thread's events that are not checkpoints. */
@Injectable()
export class ThreadEventsRepository {
  constructor(private readonly database: Database) {}

  /** In order, after the change `afterSeq`. */
  after(threadPk: number, afterSeq: number, limit: number): Promise<PagedEvent[]> {
    const isLong = `COALESCE(octet_length(e.data), 0) > ${SHORT_BYTES}`;
    return this.database.read<PagedEvent>(
      `SELECT e.thread_pk, e.seq, e.kind, e.type, e.run_no, e.step_index, e.created_at, ${isLong} AS is_long,
       CASE WHEN ${isLong} THEN NULL ELSE e.data END AS data, NULL AS cut_length,
       r.trace_id, r.parent_trace_id, r.agent_id, ${spent('run_cost_usd')}, ${spent('budget_usd')}
       FROM thread_event e LEFT JOIN run r ON r.thread_pk = e.thread_pk AND r.run_no = e.run_no
       WHERE e.thread_pk = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3`,
      [threadPk, afterSeq, limit],
    );
  }

  /**
   * The event of a page with its data.
   * @param isShown the data is only displayed: its beginning is enough if it is too large
   * @throws DomainError `not_found` if the thread has been deleted meanwhile
   */
  async whole(event: PagedEvent, isShown: boolean): Promise<ThreadEventRecord> {
    if (!event.is_long) return event;
    const isCut = isShown ? `octet_length(data) > ${UNSHOWN_BYTES}` : 'FALSE';
    const [row] = await this.database.read<Pick<ThreadEventRecord, 'data' | 'cut_length'>>(
      `SELECT CASE WHEN ${isCut} THEN substr(data, 1, ${SHOWN_LENGTH}) ELSE data END AS data,
       CASE WHEN ${isCut} THEN length(data) END AS cut_length
       FROM thread_event WHERE thread_pk = $1 AND seq = $2`,
      [event.thread_pk, event.seq],
    );
    if (!row) throw threadNotFound();
    return { ...event, ...row };
  }
}

/** Earlier versions did not store the figures with the event: these are the run's current ones. */
function spent(column: 'run_cost_usd' | 'budget_usd'): string {
  return `CASE WHEN e.type = '${RUN_STATUS.budgetExceeded}' AND e.data IS NULL THEN (
    SELECT c.${column} FROM checkpoint c
    WHERE c.thread_pk = e.thread_pk AND c.run_no = e.run_no AND c.step_index = e.step_index AND c.is_current
    ORDER BY c.attempt DESC LIMIT 1) END AS ${column}`;
}
