import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A conversation with an agent: one thread. As a lane of the dispatcher it handles one message at a time; whoever creates work for it sets
 * `work_at` in the same transaction.
 */
@Entity('channel_session')
@Index('channel_session_by_work', ['work_at'])
@Index('channel_session_by_agent', ['agent_name', 'work_at'])
export class ChannelSession {
  @PrimaryColumn('text')
  thread_id: string;

  @Column('text')
  channel_id: string;

  @Column('text')
  agent_name: string;

  /** When to look at it next; null if nothing waits. */
  @Column('bigint', { nullable: true })
  work_at: number | null;

  /** The instance that works on it. */
  @Column('text', { nullable: true })
  lease_owner: string | null;

  /** The lease may be taken over after this. */
  @Column('bigint', { nullable: true })
  lease_until: number | null;

  @Column('bigint')
  created_at: number;
}
