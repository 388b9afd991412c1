import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Which process may drive a run, or the last one that might. A lease may be there before its run is: then it is meant for the run that
 * its agent begins with this trace.
 */
@Entity('run_lease', { withoutRowid: true })
export class RunLease {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  trace_id: string;

  /** Tells the leases of runs with the same trace apart, from 1: bound tokens have runs of their own. */
  @PrimaryColumn('integer')
  lease_no: number;

  /** The run; 0 before its first report. */
  @Column('integer')
  run_no: number;

  /** Whose run it is, or is to be; null if the claim named nobody and the run is not there yet. */
  @Column('text', { nullable: true })
  agent_id: string | null;

  /** The binding of the token that began the run, or that claimed the lease before there was one; null for one that may speak for all. */
  @Column('text', { nullable: true })
  began_by: string | null;

  /** The process, in its own words. */
  @Column('text')
  holder: string;

  /** Grows with every new holder, and is never given twice in a thread of this name. */
  @Column('bigint')
  fence: number;

  @Column('integer')
  ttl_ms: number;

  @Column('bigint')
  expires_at: number;

  /** When the holder gave it back; null for one that is held, or ran out. */
  @Column('bigint', { nullable: true })
  released_at: number | null;

  /** When it last ran out before its holder renewed it, with the present fence; null for never. */
  @Column('bigint', { nullable: true })
  lapsed_at: number | null;

  /** When the present fence was given. */
  @Column('bigint')
  claimed_at: number;
}
