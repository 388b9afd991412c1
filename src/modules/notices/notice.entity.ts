import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A receiver of messages about what happens. It is a lane: one server at a time sends its deliveries. */
@Entity('notice')
@Index('notice_by_work', ['work_at'])
export class Notice {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: string;

  /** Where to send; null for a chat. */
  @Column('text', { nullable: true })
  url: string | null;

  @Column('text', { nullable: true })
  channel_id: string | null;

  @Column('text', { nullable: true })
  chat_id: string | null;

  @Column('text', { nullable: true })
  topic: string | null;

  /** Comma-separated names, with a comma before and after. */
  @Column('text')
  events: string;

  /** Only this agent and its sub-agents; null for all agents. */
  @Column('text', { nullable: true })
  agent_id: string | null;

  @Column('boolean')
  include_answer: boolean;

  /** Encrypted; see `SecretBox`. Null for a chat. */
  @Column('text', { nullable: true })
  secret: string | null;

  /** The previous secret, which still signs until then. */
  @Column('text', { nullable: true })
  old_secret: string | null;

  @Column('bigint', { nullable: true })
  old_secret_until: number | null;

  @Column('boolean')
  enabled: boolean;

  /** Why the server disabled it; null if a person did, or it is enabled. */
  @Column('text', { nullable: true })
  disabled_reason: string | null;

  /** Why the last attempt failed; null after a success, and once a person has repaired it. */
  @Column('text', { nullable: true })
  last_error: string | null;

  /** The first failed attempt since then. */
  @Column('bigint', { nullable: true })
  failing_since: number | null;

  @Column('bigint', { nullable: true })
  work_at: number | null;

  @Column('text', { nullable: true })
  lease_owner: string | null;

  @Column('bigint', { nullable: true })
  lease_until: number | null;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
