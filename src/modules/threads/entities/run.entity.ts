import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * One `trace_id` within one thread, and of one reporter: tokens that are bound to other agents have runs of their own under the same
 * `trace_id`. Rewritten only when the run's state changes, not with each checkpoint.
 */
@Entity('run', { withoutRowid: true })
@Index('run_by_trace', ['thread_pk', 'trace_id'])
export class Run {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The order in which the runs of the thread were first seen, from 1. */
  @PrimaryColumn('integer')
  run_no: number;

  @Column('text')
  trace_id: string;

  @Column('text', { nullable: true })
  parent_trace_id: string | null;

  @Column('text')
  agent_id: string;

  /** Started by another agent while a run was open, or naming its parent. */
  @Column('boolean')
  is_sub_agent: boolean;

  @Column('text')
  model: string;

  @Column('text')
  status: string;

  /** The current attempt, from 1. */
  @Column('integer')
  attempt: number;

  /** When the current attempt began; null for the first, which began with the run, and where this was not kept yet. */
  @Column('bigint', { nullable: true })
  attempt_started_at: number | null;

  /** `occurred_at` of the event that opened the attempt; null when its reporter sends none. */
  @Column('bigint', { nullable: true })
  attempt_occurred_at: number | null;

  /** Digest of the last event that ended the run or let it rest, in whichever attempt; null before one did. */
  @Column('text', { nullable: true })
  ending_digest: string | null;

  /** What that event carried, JSON of `Ending`; null also where it was stored before this was kept. */
  @Column('text', { nullable: true })
  ending: string | null;

  /** The state between a restart of the run and the news that opens an attempt; JSON of `RestartMark`, otherwise null. */
  @Column('text', { nullable: true })
  mark: string | null;

  /** What people should see of its retries; JSON of `RunRetry`, null for one that nobody retried. */
  @Column('text', { nullable: true })
  retry: string | null;

  /** What `thread_error` reported, exact JSON. */
  @Column('text', { nullable: true })
  error: string | null;

  /** The binding of the token that began the run; null for one that may speak for all. */
  @Column('text', { nullable: true })
  began_by: string | null;

  /** The binding of the token that named the parent; null for one that may speak for all, which no other token overrules. */
  @Column('text', { nullable: true })
  parent_by: string | null;

  /** The binding of the token that reported the latest checkpoint; null for one that may speak for all. */
  @Column('text', { nullable: true })
  reported_by: string | null;

  @Column('bigint')
  started_at: number;

  @Column('bigint')
  updated_at: number;
}
