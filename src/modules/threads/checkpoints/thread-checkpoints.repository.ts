import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import {
  CHECKPOINT_MATCH,
  CHECKPOINT_TABLES,
  checkpointColumns,
  unpackCheckpoint,
  wholeCheckpointSql,
  type LongCheckpoint,
  type PackedCheckpoint,
} from './checkpoint-columns.js';
import type { CheckpointRecord } from './checkpoint.json.js';
import { rangesFound, rowWithLists } from './list-columns.js';
import { wholeListSql } from '../message-log/continued-lists.js';
import type { ListColumns } from '../message-log/new-elements.js';
import { isLong } from './packed-columns.js';
import { REPORT_COLUMNS, type LongReport, type ReportRow } from './report-row.js';

export interface ThreadVersion {
  pk: number;
  /** The number of its last change. */
  last_seq: number;
}

export interface CheckpointPlace {
  run_no: number;
  attempt: number;
  step_index: number;
}

/** Precedes the first checkpoint of every thread. */
export const BEFORE_ALL: CheckpointPlace = { run_no: 0, attempt: 0, step_index: 0 };

/** Reads a thread's checkpoints, without replaced ones. */
@Injectable()
export class ThreadCheckpointsRepository {
  constructor(private readonly database: Database) {}

  /** Null for an unknown thread, or one without runs. No id holds U+0000, and PostgreSQL rejects it as a value. */
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

  /** By run (oldest first), attempt and step, as they were at the change `last_seq`, so that successive pages fit together. */
  async after(
    { pk, last_seq }: ThreadVersion,
    place: CheckpointPlace,
    limit: number,
  ): Promise<(CheckpointRecord | LongCheckpoint)[]> {
    const rows = await this.database.read<PackedCheckpoint>(
      `SELECT ${checkpointColumns(this.database.dialect)} FROM ${CHECKPOINT_TABLES}
       WHERE c.thread_pk = $1 AND (c.run_no, c.attempt, c.step_index) > ($2, $3, $4) 
       AND c.seq <= $5 AND (c.is_current OR c.rev > $5) AND ${CHECKPOINT_MATCH}
       ORDER BY c.run_no, c.attempt, c.step_index LIMIT $6`,
      [pk, place.run_no, place.attempt, place.step_index, last_seq, limit],
    );
    return rows.map((row) => unpackCheckpoint(row));
  }

  /** A page's checkpoint in full. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async whole(record: CheckpointRecord | LongCheckpoint): Promise<CheckpointRecord> {
    if (!isLong<LongCheckpoint>(record)) return record;
    const [row] = await this.database.read<CheckpointRecord>(wholeCheckpointSql(), [record.thread_pk, record.seq]);
    return rowWithLists(row);
  }

  /** Checkpoints after `afterSeq` that were current at the change `last_seq`, in arrival order. */
  async reportsAfter(
    { pk, last_seq }: ThreadVersion,
    afterSeq: number,
    limit: number,
  ): Promise<(ReportRow | LongReport)[]> {
    const rows = await this.database.read<{ packed: string; run_cost_usd: number }>(
      `SELECT ${REPORT_COLUMNS.sql(this.database.dialect)}, run_cost_usd
       FROM checkpoint WHERE thread_pk = $1 AND seq > $2 AND seq <= $3 AND (is_current OR rev > $3) ORDER BY seq LIMIT $4`,
      [pk, afterSeq, last_seq, limit],
    );
    return rows.map((row) => REPORT_COLUMNS.unpack(row));
  }

  /** A page's report in full. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async wholeReport(threadPk: number, report: ReportRow | LongReport): Promise<ReportRow> {
    if (!isLong<LongReport>(report)) return report;
    const [row] = await this.database.read<ReportRow>(
      `SELECT ${REPORT_COLUMNS.wholeSql()}, run_cost_usd FROM checkpoint WHERE thread_pk = $1 AND seq = $2`,
      [threadPk, report.seq],
    );
    return rowWithLists(row);
  }

  /** The runs with a trace, oldest first: tokens of several agents may each have one. Null for no trace. */
  async runsOfTrace(threadPk: number, traceId: string | null): Promise<number[] | null> {
    if (traceId === null) return null;
    if (traceId.includes('\0')) return [];
    const rows = await this.database.read<{ run_no: number }>(
      `SELECT run_no FROM run WHERE thread_pk = $1 AND trace_id = $2 ORDER BY run_no`,
      [threadPk, traceId],
    );
    return rows.map(({ run_no }) => run_no);
  }

  /**
   * The run's last non-empty list up to this checkpoint, as ranges; the empty text for none.
   * @throws DomainError `not_found` if the thread has been deleted meanwhile
   */
  async lastList(threadPk: number, place: CheckpointPlace, list: keyof ListColumns): Promise<string> {
    const rows = await this.database.read<{ ranges: string | null }>(
      `SELECT ${wholeListSql(list, 'c')} AS ranges FROM checkpoint c
       WHERE thread_pk = $1 AND run_no = $2 AND (attempt, step_index) <= ($3, $4) AND is_current AND ${list} <> ''
       ORDER BY attempt DESC, step_index DESC LIMIT 1`,
      [threadPk, place.run_no, place.attempt, place.step_index],
    );
    return rangesFound(rows);
  }
}
