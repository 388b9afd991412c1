import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Up to when it has been decided what becomes of a schedule's instants: what was due later and has passed was missed. */
@Entity('schedule_cursor')
export class ScheduleCursor {
  @PrimaryColumn('text')
  trigger_key: string;

  /** Milliseconds since 1970. */
  @Column('bigint')
  decided_until: number;
}
