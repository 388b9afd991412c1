import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Which process may drive a run, or was the last that could. A lease may precede its run: it then applies to the run that its agent begins
 * with this trace.
 */
@Entity('run_lease', { withoutRowid: true })
export class RunLease {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  trace_id: string;

  /** From 1; distinguishes leases with the same trace: bound tokens have their own runs. */
  @PrimaryColumn('integer')
  lease_no: number;

  /** 0 before the run's first report. */
  @Column('integer')
  run_no: number;

  /** The run's agent; null if the claim named none and the run does not exist yet. */
  @Column('text', { nullable: true })
  agent_id: string | null;

  /** The binding of the token that began the run or, before that, claimed the lease; null for an unbound one. */
  @Column('text', { nullable: true })
  began_by: string | null;

  /** The process's name for itself. */
  @Column('text')
  holder: string;

  /** Grows with every new holder; never reused in threads with this id. */
  @Column('bigint')
  fence: number;

  @Column('integer')
  ttl_ms: number;

  @Column('bigint')
  expires_at: number;

  /** When the holder released it; null if held or expired. */
  @Column('bigint', { nullable: true })
  released_at: number | null;

  /** When it last ran out, with the current fence, before its holder renewed it; null for never. */
  @Column('bigint', { nullable: true })
  lapsed_at: number | null;

  /** When the current fence was issued. */
  @Column('bigint')
  claimed_at: number;
}
