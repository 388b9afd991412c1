import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A running API server on this storage. */
@Entity('instance')
export class Instance {
  @PrimaryColumn('text')
  id: string;

  /** Host name of its machine or container. */
  @Column('text')
  host: string;

  @Column('integer')
  pid: number;

  @Column('text')
  version: string;

  /** Its features beyond the first version, separated by spaces. */
  @Column('text', { default: '' })
  features: string;

  /** Milliseconds since 1970. */
  @Column('bigint')
  started_at: number;

  /** Milliseconds since 1970, by the clock of its machine. */
  @Column('bigint')
  last_seen: number;
}
