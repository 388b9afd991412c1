import { Column, Entity, PrimaryColumn } from 'typeorm';

/** News found by looks and already reported: the server that stores the row reports it. */
@Entity('notice_mark')
export class NoticeMark {
  @PrimaryColumn('text')
  kind: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('bigint')
  created_at: number;
}
