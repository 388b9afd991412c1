import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A hidden thread that still has rows: a deleted one while its rows are removed, or one being imported. */
@Entity('deleted_thread')
export class DeletedThread {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** From then on its rows may be removed. A running import postpones it. */
  @Column('bigint')
  deleted_at: number;
}
