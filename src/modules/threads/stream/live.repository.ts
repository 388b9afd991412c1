import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { parseRanges, type Range } from '../message-log/ranges.js';
import {
  CHECKPOINT_MATCH,
  CHECKPOINT_TABLES,
  checkpointColumns,
  unpackCheckpoint,
  wholeCheckpointColumns,
  type LongCheckpoint,
  wholeCheckpointSql,
  type PackedCheckpoint,
} from '../checkpoints/checkpoint-columns.js';
import { rangesFound, rowWithLists } from '../checkpoints/list-columns.js';
import { isLong } from '../checkpoints/packed-columns.js';
import type { CheckpointRecord } from '../checkpoints/checkpoint.json.js';
import { wholeListSql } from '../message-log/continued-lists.js';
import type { ListColumns } from '../message-log/new-elements.js';

export interface LiveThread {
  pk: number;
  id: string;
  /** The number of its last change. */
  lastSeq: number;
  /** The next free place in its message log. */
  nextMessage: number;
  latest: CheckpointRecord;
}

/** Almost certainly one of this many reports brought a new message. */
const REPORTS_LOOKED_BACK = 200;

@Injectable()
export class LiveRepository {
  constructor(private readonly database: Database) {}

  /** The thread as one statement sees it; null if there is none. */
  async find(threadId: string): Promise<LiveThread | null> {
    if (threadId.includes('\0')) return null;
    const [row] = await this.database.read<CheckpointRecord & { last_seq: number; next_message: number }>(
      `SELECT ${wholeCheckpointColumns()}, t.last_seq, t.next_message
       FROM thread t CROSS JOIN checkpoint c CROSS JOIN run r
       WHERE t.id = $1 AND c.thread_pk = t.pk AND c.seq = t.latest_seq AND ${CHECKPOINT_MATCH}`,
      [threadId],
    );
    if (!row) return null;
    const { last_seq: lastSeq, next_message: nextMessage, ...latest } = row;
    return { pk: latest.thread_pk, id: threadId, lastSeq, nextMessage, latest };
  }

  /** The number of the thread's last change; null if it is gone. */
  async lastSeq(threadPk: number): Promise<number | null> {
    const rows = await this.database.read<{ last_seq: number }>(`SELECT last_seq FROM thread WHERE pk = $1`, [
      threadPk,
    ]);
    return rows[0]?.last_seq ?? null;
  }

  /** Every report after the change `afterSeq`, including replaced ones, in arrival order. */
  async reportsAfter(
    threadPk: number,
    afterSeq: number,
    limit: number,
  ): Promise<(CheckpointRecord | LongCheckpoint)[]> {
    const rows = await this.database.read<PackedCheckpoint>(
      `SELECT ${checkpointColumns(this.database.dialect)} FROM ${CHECKPOINT_TABLES}
       WHERE c.thread_pk = $1 AND c.seq > $2 AND ${CHECKPOINT_MATCH} ORDER BY c.seq LIMIT $3`,
      [threadPk, afterSeq, limit],
    );
    return rows.map((row) => unpackCheckpoint(row));
  }

  /** A page's report in full. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async whole(report: CheckpointRecord | LongCheckpoint): Promise<CheckpointRecord> {
    if (!isLong<LongCheckpoint>(report)) return report;
    const [row] = await this.database.read<CheckpointRecord>(wholeCheckpointSql(), [report.thread_pk, report.seq]);
    return rowWithLists(row);
  }

  /**
   * The run's last non-empty list before this step, as ranges; the empty text for none.
   * @throws DomainError `not_found` if the thread has been deleted meanwhile
   */
  async listBefore(record: CheckpointRecord, list: keyof ListColumns): Promise<string> {
    const rows = await this.database.read<{ ranges: string | null }>(
      `SELECT ${wholeListSql(list, 'c')} AS ranges FROM checkpoint c
       WHERE thread_pk = $1 AND run_no = $2 AND (attempt, step_index) < ($3, $4) AND is_current AND ${list} <> ''
       ORDER BY attempt DESC, step_index DESC LIMIT 1`,
      [record.thread_pk, record.run_no, record.attempt, record.step_index],
    );
    return rangesFound(rows);
  }

  /**
   * The highest place in the message log up to the change `seq`; -1 for none.
   * @throws DomainError `not_found` if the thread has been deleted meanwhile
   */
  async highestPlace(threadPk: number, seq: number): Promise<number> {
    const rows = await this.database.read<{ seq: number; history: string; history_from: number | null }>(
      `SELECT seq, history, history_from FROM checkpoint WHERE thread_pk = $1 AND seq <= $2 ORDER BY seq DESC LIMIT $3`,
      [threadPk, seq, REPORTS_LOOKED_BACK],
    );
    let highest = Math.max(-1, ...rows.map(({ history }) => highestPlace(parseRanges(history))));
    // If a list continues another of these rows, its beginning is counted there.
    const seen = new Set<number | null>(rows.map((row) => row.seq)).add(null);
    for (const row of rows) {
      if (seen.has(row.history_from)) continue;
      seen.add(row.history_from);
      highest = Math.max(highest, highestPlace(parseRanges(await this.historyOf(threadPk, row.history_from!))));
    }
    return highest;
  }

  private async historyOf(threadPk: number, seq: number): Promise<string> {
    const rows = await this.database.read<{ ranges: string | null }>(
      `SELECT ${wholeListSql('history', 'c')} AS ranges FROM checkpoint c WHERE thread_pk = $1 AND seq = $2`,
      [threadPk, seq],
    );
    return rangesFound(rows);
  }
}

/** The highest of these places; -1 for none. */
export function highestPlace(places: readonly Range[]): number {
  return places.reduce((highest, [, to]) => Math.max(highest, to), -1);
}
