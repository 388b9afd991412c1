import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Until when a schedule's instants are decided: later ones that have passed were missed. */
@Entity('schedule_cursor')
export class ScheduleCursor {
  @PrimaryColumn('text')
  trigger_key: string;

  /** Milliseconds since 1970. */
  @Column('bigint')
  decided_until: number;
}
