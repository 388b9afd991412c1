import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** `started_at` of a thread that only a lease or an effect's claim has created. */
export const NOT_STARTED = 0;

/**
 * One row per thread: what the thread list shows and sorts by, and the counters that number the thread's parts.
 * Columns have the API's names. This row's lock covers the whole thread.
 */
@Entity('thread')
@Index('thread_by_updated', ['updated_at', 'pk', 'started_at', 'total_tokens', 'total_cost_usd'])
@Index('thread_by_started', ['started_at', 'pk'])
@Index('thread_by_tokens', ['total_tokens', 'pk'])
@Index('thread_by_cost', ['total_cost_usd', 'pk'])
@Index('thread_by_status', ['status', 'updated_at', 'pk', 'started_at', 'total_tokens', 'total_cost_usd'])
@Index('thread_by_model', ['model', 'updated_at', 'pk', 'started_at', 'total_tokens', 'total_cost_usd'])
@Index('thread_by_change', ['change_no', 'pk', 'last_seq'])
@Index('thread_without_run', ['pk'], { where: 'run_count = 0' })
export class Thread {
  /** Short stand-in for `id` in all other tables; never reused. */
  @PrimaryGeneratedColumn('increment', { type: 'integer' })
  pk: number;

  /** Sorted by code points, not by PostgreSQL's locale. */
  @Index('thread_by_id', { unique: true })
  @Column({ type: 'text', collation: 'C' })
  id: string;

  /** The number of the last change: checkpoints, events and the live stream's order count from it. */
  @Column('integer')
  last_seq: number;

  /** The next free places in the logs of messages and metadata. */
  @Column('integer')
  next_message: number;

  @Column('integer')
  next_meta: number;

  @Column('integer')
  run_count: number;

  /** The run that last made progress. */
  @Column('integer')
  current_run: number;

  /** The checkpoint that all readers see: the latest of the topmost run above `current_run`, see `shownRun`. */
  @Column('integer')
  latest_seq: number;

  @Column('text')
  status: string;

  @Column('text')
  model: string;

  /** JSON array of all agent ids in order of appearance. */
  @Column('text')
  agents: string;

  /** The last message of the shown run, JSON of `LastMessage`; null if there is none, and in old rows. */
  @Column('text', { nullable: true })
  last_message: string | null;

  @Column('integer')
  open_runs: number;

  @Column('integer')
  pending_approvals: number;

  /** Sums of the last reported values of every run and attempt. */
  @Column('bigint')
  total_tokens: number;

  @Column('double precision')
  total_cost_usd: number;

  /** Milliseconds since 1970, like all times in the database; `NOT_STARTED` before the first report. */
  @Column('bigint')
  started_at: number;

  @Column('bigint')
  updated_at: number;

  /** Total milliseconds of idle time before retries. */
  @Column('bigint', { default: 0 })
  paused_ms: number;

  /** The last fence issued in the thread; 0 if no run was ever leased. */
  @Column('bigint', { default: 0 })
  last_fence: number;

  /** The transaction that last changed the row, see `change-number.ts`; 0 in old rows. */
  @Column('bigint', { default: 0 })
  change_no: number;
}
