import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { QueuedRunKind } from '../../../common/contract/queued-run.js';

/** A run that an agent process has accepted but not started, because it is running as many as it may. */
@Entity('queued_run', { withoutRowid: true })
@Index('queued_run_by_trace', ['trace_id'])
@Index('queued_run_of_agent', ['agent_id', 'process_id'])
export class QueuedRunRow {
  /** Digest of the four ids: together they can be too long for a PostgreSQL key. */
  @PrimaryColumn('text')
  place: string;

  /** The process, the same after a restart. */
  @Column('text')
  process_id: string;

  @Column('text')
  agent_id: string;

  @Column('text')
  thread_id: string;

  @Column('text')
  trace_id: string;

  /** When the process accepted it, in milliseconds since 1970 by its clock. A retry of the same run has another time. */
  @Column('bigint')
  queued_at: number;

  /** When this server first heard of it, by its own clock. */
  @Column('bigint')
  noted_at: number;

  /** JSON list of the agents that the process's token is bound to; null for an unbound one. */
  @Column('text', { nullable: true })
  bound_to: string | null;

  /** When a person cancelled it; null while it waits. The row stays until the process no longer lists the run. */
  @Column('bigint', { nullable: true })
  cancelled_at: number | null;

  /** Null if not given. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** Null if the process does not say. */
  @Column('text', { nullable: true })
  kind: QueuedRunKind | null;
}
