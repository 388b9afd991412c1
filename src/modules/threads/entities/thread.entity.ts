import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** `started_at` of a thread that a lease or the claim of an effect has made known, and nothing was reported to since. */
export const NOT_STARTED = 0;

/**
 * One row per thread: what the thread list shows and sorts by, and the counters that number what belongs to the thread.
 * Columns have the names of the API. The holder of the lock on this row may change everything under the thread.
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
  /** Short stand-in for `id` in all other tables; never used again after a deletion. */
  @PrimaryGeneratedColumn('increment', { type: 'integer' })
  pk: number;

  /** Sorted by its code points: PostgreSQL would sort as the language of the database does. */
  @Index('thread_by_id', { unique: true })
  @Column({ type: 'text', collation: 'C' })
  id: string;

  /** The number of the last change: checkpoints, events and their order in the live stream count from here. */
  @Column('integer')
  last_seq: number;

  /** The next free place in the log of messages, and in the log of their metadata. */
  @Column('integer')
  next_message: number;

  @Column('integer')
  next_meta: number;

  @Column('integer')
  run_count: number;

  /** The run that last made progress. */
  @Column('integer')
  current_run: number;

  /** The checkpoint that the thread shows to all its readers: the latest of the run at the top of the chain above `current_run`, see `shownRun`. */
  @Column('integer')
  latest_seq: number;

  @Column('text')
  status: string;

  @Column('text')
  model: string;

  /** All agent ids in the order of their first appearance, as JSON. */
  @Column('text')
  agents: string;

  /** The last message of the run that the thread shows, JSON of `LastMessage`; null if it has none, or none since this is kept. */
  @Column('text', { nullable: true })
  last_message: string | null;

  /** Runs that have not ended. */
  @Column('integer')
  open_runs: number;

  @Column('integer')
  pending_approvals: number;

  /** Sums of the last reported values of every run and attempt. */
  @Column('bigint')
  total_tokens: number;

  @Column('double precision')
  total_cost_usd: number;

  /** Milliseconds since 1970, as all times in the database; `NOT_STARTED` before the first report. */
  @Column('bigint')
  started_at: number;

  @Column('bigint')
  updated_at: number;

  /** Milliseconds in which nothing happened before somebody retried one of its runs. */
  @Column('bigint', { default: 0 })
  paused_ms: number;

  /** The last fence that a lease in the thread got; 0 if no run was ever leased. */
  @Column('bigint', { default: 0 })
  last_fence: number;

  /** The transaction that last changed the row, see `change-number.ts`; 0 for one from before these were numbered. */
  @Column('bigint', { default: 0 })
  change_no: number;
}
