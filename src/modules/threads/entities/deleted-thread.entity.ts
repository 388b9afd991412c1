import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A thread that is gone for readers while what lay under it is still being removed, piece by piece. */
@Entity('deleted_thread')
export class DeletedThread {
  @PrimaryColumn('integer')
  thread_pk: number;

  @Column('bigint')
  deleted_at: number;
}
