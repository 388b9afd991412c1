import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * One `trace_id` of one reporter in one thread: tokens bound to other agents have their own runs with the same `trace_id`. Rewritten only
 * when the run's state changes, not with each checkpoint.
 */
@Entity('run', { withoutRowid: true })
@Index('run_by_trace', ['thread_pk', 'trace_id'])
export class Run {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** From 1, in the order in which the thread's runs were first seen. */
  @PrimaryColumn('integer')
  run_no: number;

  @Column('text')
  trace_id: string;

  @Column('text', { nullable: true })
  parent_trace_id: string | null;

  @Column('text')
  agent_id: string;

  /** Started by another agent while a run was open, or with a parent. */
  @Column('boolean')
  is_sub_agent: boolean;

  @Column('text')
  model: string;

  @Column('text')
  status: string;

  /** From 1. */
  @Column('integer')
  attempt: number;

  /** When the current attempt began; null for the first, which began with the run, and in old rows. */
  @Column('bigint', { nullable: true })
  attempt_started_at: number | null;

  /** `occurred_at` of the event that opened the attempt; null if not reported. */
  @Column('bigint', { nullable: true })
  attempt_occurred_at: number | null;

  /** Digest of the last event, in any attempt, that ended the run or made it idle; null before. */
  @Column('text', { nullable: true })
  ending_digest: string | null;

  /** That event's fields, JSON of `Ending`; null in old rows. */
  @Column('text', { nullable: true })
  ending: string | null;

  /** JSON of `RestartMark` between a restart and the news that opens an attempt; otherwise null. */
  @Column('text', { nullable: true })
  mark: string | null;

  /** JSON of `RunRetry`; null for a run that nobody retried. */
  @Column('text', { nullable: true })
  retry: string | null;

  /** The error that `thread_error` reported, exact JSON. */
  @Column('text', { nullable: true })
  error: string | null;

  /** The binding of the token that began the run; null for an unbound one. */
  @Column('text', { nullable: true })
  began_by: string | null;

  /** The binding of the token that named the parent; null for an unbound one, which no other token overrules. */
  @Column('text', { nullable: true })
  parent_by: string | null;

  /** The binding of the token that reported the latest checkpoint; null for an unbound one. */
  @Column('text', { nullable: true })
  reported_by: string | null;

  @Column('bigint')
  started_at: number;

  @Column('bigint')
  updated_at: number;
}
