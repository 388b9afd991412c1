import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `waiting` is to be fired as soon as it may; the others are final. */
export type FiringState = 'waiting' | 'fired' | 'skipped' | 'missed';

/** Why an instant was not, or not yet, fired. */
export type FiringReason =
  | 'overlap' // the run before had not ended
  | 'queue_full' // too many waited already
  | 'downtime' // the process was not there, and the trigger does not catch up on it
  | 'too_old' // the process was not there for longer than the trigger's max_age
  | 'removed' // the trigger is no longer in the file
  | 'failed'; // the run could not be taken on; the log tells why

/** One instant at which a schedule was due, and what became of it. The key makes sure that no instant fires twice. */
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

  /** When its run was taken on. */
  @Column('bigint', { nullable: true })
  fired_at: number | null;
}
