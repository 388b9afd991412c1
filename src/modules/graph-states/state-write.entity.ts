import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A task's write on top of a checkpoint, which may arrive later. */
@Entity('state_write')
export class StateWrite {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The checkpoint's. */
  @PrimaryColumn('text')
  place: string;

  @PrimaryColumn('text')
  task_id: string;

  /** Negative if only the last write counts. */
  @PrimaryColumn('integer')
  idx: number;

  /** The agent's whole id. */
  @Column('text')
  agent: string;

  @Column('text')
  task_path: string;

  @Column('text')
  channel: string;

  /** The serialiser's tag. */
  @Column('text')
  type: string;

  /** Base64. */
  @Column('text')
  data: string;
}
