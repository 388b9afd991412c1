import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `waiting` will fire as soon as it may; the others are final. */
export type FiringState = 'waiting' | 'fired' | 'skipped' | 'missed';

/** Why an instant did not, or not yet, fire. */
export type FiringReason =
  | 'overlap' // the previous run had not ended
  | 'queue_full' // too many were waiting
  | 'downtime' // the process was down, and the trigger does not catch up
  | 'too_old' // the process was down for longer than the trigger's max_age
  | 'removed' // the trigger is no longer in the file
  | 'failed'; // the run could not be accepted; see the log

/** An instant at which a schedule was due, and its outcome. The key ensures that no instant fires twice. */
@Entity('firing')
@Index('firing_by_state', ['state', 'trigger_key', 'due_at'])
export class Firing {
  @PrimaryColumn('text')
  trigger_key: string;

  /** Milliseconds since 1970, as all times here. */
  @Index('firing_by_due')
  @PrimaryColumn('bigint')
  due_at: number;

  @Column('text')
  state: FiringState;

  @Column('text', { nullable: true })
  reason: FiringReason | null;

  @Column('text', { nullable: true })
  run_id: string | null;

  @Column('bigint')
  decided_at: number;

  /** When its run was accepted. */
  @Column('bigint', { nullable: true })
  fired_at: number | null;
}
