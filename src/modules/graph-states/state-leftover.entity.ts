import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A value named by a deleted or replaced checkpoint: perhaps no other names it. The row goes when a stored checkpoint names the value, and
 * after a search for one.
 */
@Entity('state_leftover')
export class StateLeftover {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  agent: string;

  @PrimaryColumn('text')
  digest: string;

  /** Of the search in progress, or of the change that left the value over. Only the owner of the mark may delete. */
  @Column('text')
  mark: string;
}
