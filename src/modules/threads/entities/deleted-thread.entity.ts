import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A thread that readers no longer see, while the server still removes its rows piece by piece. */
@Entity('deleted_thread')
export class DeletedThread {
  @PrimaryColumn('integer')
  thread_pk: number;

  @Column('bigint')
  deleted_at: number;
}
