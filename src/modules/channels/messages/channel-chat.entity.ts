import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A chat of a channel: the lane in which its messages are sent in order, and what is known about it. */
@Entity('channel_chat')
@Index('channel_chat_by_work', ['work_at'])
export class ChannelChat {
  @PrimaryColumn('text')
  channel_id: string;

  @PrimaryColumn('text')
  chat_id: string;

  /** The id under which its sessions started; differs once the platform has moved the chat. */
  @Column('text')
  session_chat_id: string;

  /** Why nothing can be sent, until the person writes again; null while it can. */
  @Column('text', { nullable: true })
  closed_reason: string | null;

  @Column('bigint', { nullable: true })
  last_inbound_at: number | null;

  /** When to send next; null if nothing waits. */
  @Column('bigint', { nullable: true })
  work_at: number | null;

  @Column('text', { nullable: true })
  lease_owner: string | null;

  @Column('bigint', { nullable: true })
  lease_until: number | null;

  @Column('bigint')
  created_at: number;
}
