import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A deletion, kept for a day for readers of all threads that reconnect. */
@Entity('deletion_notice')
@Index('deletion_notice_by_change', ['change_no', 'thread_pk'])
@Index('deletion_notice_with_fence', ['thread_id'], { where: 'last_fence > 0' })
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

  /** As in `Thread`: a new thread with this id must not reuse it. */
  @Column('bigint', { default: 0 })
  last_fence: number;
}
