import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A runner event that the API has not stored yet. */
@Entity('spooled_event')
@Index('spooled_event_by_thread', ['thread_id'])
export class SpooledEvent {
  /** The order of delivery. Never reused, so that a late confirmation cannot remove a newer event. */
  @PrimaryGeneratedColumn('increment', { type: 'integer' })
  seq: number;

  @Column('text')
  thread_id: string;

  /** The event's JSON text as sent. */
  @Column('text')
  text: string;

  /** UTF-8 length of the text, for the spool's limit. */
  @Column('integer')
  bytes: number;
}
