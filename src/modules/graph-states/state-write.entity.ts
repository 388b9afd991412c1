import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a task of a graph wrote on top of a checkpoint. The checkpoint may arrive later. */
@Entity('state_write')
export class StateWrite {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** Of the checkpoint. */
  @PrimaryColumn('text')
  place: string;

  @PrimaryColumn('text')
  task_id: string;

  /** Negative for writes of which the last counts. */
  @PrimaryColumn('integer')
  idx: number;

  /** The agent's whole id. */
  @Column('text')
  agent: string;

  @Column('text')
  task_path: string;

  @Column('text')
  channel: string;

  /** The tag of the serialiser. */
  @Column('text')
  type: string;

  /** Base64. */
  @Column('text')
  data: string;
}
