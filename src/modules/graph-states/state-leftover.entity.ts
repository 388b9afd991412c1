import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A value that a checkpoint named which was deleted or replaced: perhaps none names it any more. The row goes when a checkpoint that is
 * stored names the value, and when somebody has looked whether one does.
 */
@Entity('state_leftover')
export class StateLeftover {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('text')
  agent: string;

  @PrimaryColumn('text')
  digest: string;

  /** Of who looks for checkpoints that name the value, or of the change that left it over. Only who finds the own mark may delete. */
  @Column('text')
  mark: string;
}
