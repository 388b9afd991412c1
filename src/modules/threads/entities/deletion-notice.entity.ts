import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** That a thread was deleted, for readers who follow all threads and were away. Kept for a day. */
@Entity('deletion_notice')
@Index('deletion_notice_by_change', ['change_no', 'thread_pk'])
export class DeletionNotice {
  @PrimaryColumn('integer')
  thread_pk: number;

  @Column('text')
  thread_id: string;

  /** As in `Thread`. */
  @Column('bigint')
  change_no: number;

  @Column('bigint')
  deleted_at: number;
}
