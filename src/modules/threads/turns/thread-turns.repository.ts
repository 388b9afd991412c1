import { Injectable } from '@nestjs/common';
import { ATTACHMENT } from '../../../common/contract/event-types.js';
import { Database } from '../../../database/database.js';
import type { OwnedRun } from '../bindings/run-matching.js';
import { wholeListSql } from '../message-log/continued-lists.js';

export interface RunRow extends OwnedRun {
  thread_pk: number;
  updated_at: number;
  last_seq: number;
  pending_approvals: number;
  status: string;
  attempt: number;
  run_updated_at: number;
}

/** The last checkpoint of a run that has messages. */
export interface LastLists {
  history: string;
  history_meta: string;
}

/** Far more than any chat gets. */
const MAX_ATTACHMENTS = 1_000;

@Injectable()
export class ThreadTurnsRepository {
  constructor(private readonly database: Database) {}

  /**
   * The runs with a trace, oldest first; null for an unknown thread. Tokens of several agents may each have one. No id holds U+0000, and
   * PostgreSQL rejects it as a value.
   */
  async findRuns(threadId: string, traceId: string): Promise<RunRow[] | null> {
    if (threadId.includes('\0')) return null;
    const rows = await this.database.read<{ [Name in keyof RunRow]: RunRow[Name] | null }>(
      `SELECT t.pk AS thread_pk, t.updated_at, t.last_seq, t.pending_approvals, r.run_no, r.status, r.agent_id, r.began_by,
         r.attempt, r.updated_at AS run_updated_at
       FROM thread t LEFT JOIN run r ON r.thread_pk = t.pk AND r.trace_id = $1 WHERE t.id = $2 ORDER BY r.run_no`,
      [traceId.replaceAll('\0', ''), threadId],
    );
    if (rows.length === 0) return null;
    return traceId.includes('\0') ? [] : rows.filter((row): row is RunRow => row.run_no !== null);
  }

  /** The run's attempt at the thread's change `seq`. */
  async attemptAt({ thread_pk, run_no }: RunRow, seq: number): Promise<number> {
    const [row] = await this.database.read<{ attempt: number | null }>(
      'SELECT MAX(attempt) AS attempt FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND seq <= $3',
      [thread_pk, run_no, seq],
    );
    return row?.attempt ?? 1;
  }

  /** Whether an event or a checkpoint after the change `sinceSeq` reported the run's status. */
  async isStatusNews({ thread_pk, run_no, status }: RunRow, sinceSeq: number): Promise<boolean> {
    const rows = await this.database.read(
      `SELECT 1 AS found FROM thread_event
       WHERE thread_pk = $1 AND seq > $2 AND kind = 'status' AND run_no = $3 AND type = $4
       UNION ALL
       SELECT 1 FROM checkpoint WHERE thread_pk = $1 AND seq > $2 AND run_no = $3 AND status = $4 LIMIT 1`,
      [thread_pk, sinceSeq, run_no, status],
    );
    return rows.length > 0;
  }

  /** The data of the run's file events after the change `sinceSeq`, oldest first. */
  async findAttachments({ thread_pk, run_no }: RunRow, sinceSeq: number): Promise<string[]> {
    const rows = await this.database.read<{ data: string }>(
      `SELECT data FROM thread_event
       WHERE thread_pk = $1 AND seq > $2 AND kind = 'log' AND type = '${ATTACHMENT}' AND run_no = $3
       ORDER BY seq LIMIT ${MAX_ATTACHMENTS}`,
      [thread_pk, sinceSeq, run_no],
    );
    return rows.map(({ data }) => data);
  }

  /**
   * The run's last lists after the change `sinceSeq`, without those that its start carried forward: nobody said them in this run. Null if
   * there are none, or if the thread is gone: some of its rows may outlive it.
   */
  async findLastLists({ thread_pk, run_no }: RunRow, sinceSeq: number): Promise<LastLists | null> {
    const [lists] = await this.database.read<{ [List in keyof LastLists]: string | null }>(
      `SELECT ${wholeListSql('history', 'c')} AS history, ${wholeListSql('history_meta', 'c')} AS history_meta FROM checkpoint c
       WHERE thread_pk = $1 AND run_no = $2 AND is_current AND history <> '' AND NOT is_initial
         AND seq > $3
       ORDER BY attempt DESC, step_index DESC LIMIT 1`,
      [thread_pk, run_no, sinceSeq],
    );
    return isThere(lists) ? lists : null;
  }
}

function isThere(lists: { [List in keyof LastLists]: string | null } | undefined): lists is LastLists {
  return typeof lists?.history === 'string' && typeof lists.history_meta === 'string';
}
