import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What was told already of things that servers look for: whoever stores the row tells it. */
@Entity('notice_mark')
export class NoticeMark {
  @PrimaryColumn('text')
  kind: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('bigint')
  created_at: number;
}
