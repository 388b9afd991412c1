import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A thread that readers do not see, but which has rows: a deleted one, while the server removes them piece by piece, or one that is being imported. */
@Entity('deleted_thread')
export class DeletedThread {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** From this moment on its rows may be removed. An import puts it off as long as it goes on. */
  @Column('bigint')
  deleted_at: number;
}
