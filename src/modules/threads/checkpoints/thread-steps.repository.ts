import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { listsOfPages, rowWithLists, deltas } from './list-columns.js';
import { isLong, PackedColumns, type LongRow } from './packed-columns.js';
import type { CheckpointPlace, ThreadVersion } from './thread-checkpoints.repository.js';

/** A step of a run without anything that grows with the conversation. */
export interface StepRow extends Pick<
  Checkpoint,
  | 'seq'
  | 'run_no'
  | 'attempt'
  | 'step_index'
  | 'agent_id'
  | 'status'
  | 'model'
  | 'tokens_used'
  | 'input_tokens'
  | 'output_tokens'
  | 'run_cost_usd'
  | 'budget_usd'
  | 'budget_warning'
  | 'history_length'
  | 'history'
  | 'history_meta'
  | 'error'
  | 'created_at'
  | 'updated_at'
> {
  trace_id: string;
}

const KEY = ['run_no', 'attempt', 'step_index', 'seq'] as const;
const COLUMNS = new PackedColumns<StepRow, (typeof KEY)[number]>(
  {
    trace_id: 'r.trace_id',
    seq: 'c.seq',
    run_no: 'c.run_no',
    attempt: 'c.attempt',
    step_index: 'c.step_index',
    agent_id: 'c.agent_id',
    status: 'c.status',
    model: 'c.model',
    tokens_used: 'c.tokens_used',
    input_tokens: 'c.input_tokens',
    output_tokens: 'c.output_tokens',
    budget_warning: 'c.budget_warning',
    history_length: 'c.history_length',
    ...deltas('c'),
    error: 'c.error',
    created_at: 'c.created_at',
    updated_at: 'c.updated_at',
  },
  KEY,
  ['model', 'error', 'history', 'history_meta'],
  listsOfPages('c'),
);

/** A step with long texts, of which a page has only the key. */
export type LongStep = LongRow<StepRow, (typeof KEY)[number]>;

/** Reads a thread's steps, without replaced ones. */
@Injectable()
export class ThreadStepsRepository {
  constructor(private readonly database: Database) {}

  /** In checkpoint order, as they were at the change `last_seq`. */
  async after({ pk, last_seq }: ThreadVersion, place: CheckpointPlace, limit: number): Promise<(StepRow | LongStep)[]> {
    const rows = await this.database.read<{ packed: string; run_cost_usd: number; budget_usd: number }>(
      `SELECT ${COLUMNS.sql(this.database.dialect)}, c.run_cost_usd, c.budget_usd FROM checkpoint c CROSS JOIN run r
       WHERE c.thread_pk = $1 AND (c.run_no, c.attempt, c.step_index) > ($2, $3, $4)
       AND c.seq <= $5 AND (c.is_current OR c.rev > $5) AND r.thread_pk = c.thread_pk AND r.run_no = c.run_no
       ORDER BY c.run_no, c.attempt, c.step_index LIMIT $6`,
      [pk, place.run_no, place.attempt, place.step_index, last_seq, limit],
    );
    return rows.map((row) => COLUMNS.unpack(row));
  }

  /** A page's step in full. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async whole(threadPk: number, step: StepRow | LongStep): Promise<StepRow> {
    if (!isLong<LongStep>(step)) return step;
    const [row] = await this.database.read<StepRow>(
      `SELECT ${COLUMNS.wholeSql()}, c.run_cost_usd, c.budget_usd FROM checkpoint c CROSS JOIN run r
       WHERE c.thread_pk = $1 AND c.seq = $2 AND r.thread_pk = c.thread_pk AND r.run_no = c.run_no`,
      [threadPk, step.seq],
    );
    return rowWithLists(row);
  }

  /** The lengths of the thread's logs of messages and metadata; null if it is gone. */
  async lengths(pk: number): Promise<{ history: number; history_meta: number } | null> {
    const [row] = await this.database.read<{ history: number; history_meta: number }>(
      `SELECT next_message AS history, next_meta AS history_meta FROM thread WHERE pk = $1`,
      [pk],
    );
    return row ?? null;
  }
}
