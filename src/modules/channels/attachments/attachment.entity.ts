import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A file that an agent has uploaded for a chat. Its bytes are stored separately, in pieces. */
@Entity('attachment')
@Index('attachment_of_thread', ['thread_id', 'digest'], { unique: true })
@Index('attachment_by_age', ['created_at'])
export class Attachment {
  @PrimaryColumn('text')
  id: string;

  /** Null while its bytes arrive, and once they are to be removed: it cannot be found then. */
  @Column('text', { nullable: true })
  thread_id: string | null;

  /** SHA-256 of its bytes, in hexadecimal; null while they arrive. */
  @Column('text', { nullable: true })
  digest: string | null;

  /** While its bytes arrive, the reserved space. */
  @Column('integer')
  size_bytes: number;

  /** 0 once its bytes are to be removed. */
  @Column('bigint')
  created_at: number;
}
