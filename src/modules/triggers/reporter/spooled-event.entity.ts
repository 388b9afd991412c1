import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A runner event that the API has not stored yet. */
@Entity('spooled_event')
@Index('spooled_event_by_thread', ['thread_id'])
export class SpooledEvent {
  /** The order of delivery. Never used twice, so that a late answer cannot remove a younger event. */
  @PrimaryGeneratedColumn('increment', { type: 'integer' })
  seq: number;

  @Column('text')
  thread_id: string;

  /** The event as it is sent: JSON text. */
  @Column('text')
  text: string;

  /** UTF-8 length of the text, for the limit of the spool. */
  @Column('integer')
  bytes: number;
}
