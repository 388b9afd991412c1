import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  CHECKPOINT_MATCH,
  CHECKPOINT_TABLES,
  checkpointColumns,
  unpackCheckpoint,
  type PackedCheckpoint,
} from './reading/checkpoint-columns.js';
import type { CheckpointRecord } from './reading/checkpoint-view.js';
import type { ThreadVersion } from './threads.repository.js';
import type { ListColumns } from './reading/new-elements.js';

/** Where a checkpoint stands among those of its thread. */
export interface CheckpointPlace {
  run_no: number;
  attempt: number;
  step_index: number;
}

/** Before the first checkpoint of every thread. */
export const BEFORE_ALL: CheckpointPlace = { run_no: 0, attempt: 0, step_index: 0 };

/** Reads the checkpoints of a thread in their order: runs as first seen, then attempts, then steps. Replaced ones are out of sight. */
@Injectable()
export class ThreadCheckpointsRepository {
  constructor(private readonly database: Database) {}

  /** As they stood at the change `version.last_seq`, so that pages read one after the other fit together. */
  async after({ pk, last_seq }: ThreadVersion, place: CheckpointPlace, limit: number): Promise<CheckpointRecord[]> {
    const rows = await this.database.read<PackedCheckpoint>(
      `SELECT ${checkpointColumns(this.database.dialect)} FROM ${CHECKPOINT_TABLES}
       WHERE c.thread_pk = $1 AND (c.run_no, c.attempt, c.step_index) > ($2, $3, $4) 
       AND c.seq <= $5 AND (c.is_current OR c.rev > $5) AND ${CHECKPOINT_MATCH}
       ORDER BY c.run_no, c.attempt, c.step_index LIMIT $6`,
      [pk, place.run_no, place.attempt, place.step_index, last_seq, limit],
    );
    return rows.map((row) => unpackCheckpoint(row));
  }

  async runOfTrace(threadPk: number, traceId: string): Promise<number | null> {
    if (traceId.includes('\0')) return null;
    const rows = await this.database.read<{ run_no: number }>(
      `SELECT run_no FROM run WHERE thread_pk = $1 AND trace_id = $2`,
      [threadPk, traceId],
    );
    return rows[0]?.run_no ?? null;
  }

  /** The last list of the run that is not empty, up to this checkpoint, as ranges; the empty text where there is none. */
  async lastList(threadPk: number, place: CheckpointPlace, list: keyof ListColumns): Promise<string> {
    const rows = await this.database.read<{ ranges: string }>(
      `SELECT ${list} AS ranges FROM checkpoint
       WHERE thread_pk = $1 AND run_no = $2 AND (attempt, step_index) <= ($3, $4) AND is_current AND ${list} <> ''
       ORDER BY attempt DESC, step_index DESC LIMIT 1`,
      [threadPk, place.run_no, place.attempt, place.step_index],
    );
    return rows[0]?.ranges ?? '';
  }
}
