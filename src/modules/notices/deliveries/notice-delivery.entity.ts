import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'dropped'] as const;

/** `failed`: given up after the last attempt; `dropped`: too many were waiting. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One message for a notice. It holds no tool arguments and no messages, unless the notice asks for answers. */
@Entity('notice_delivery')
@Index('notice_delivery_due', ['notice_id', 'status', 'next_at'])
@Index('notice_delivery_by_time', ['notice_id', 'created_at', 'id'])
@Index('notice_delivery_by_age', ['created_at'])
export class NoticeDelivery {
  @PrimaryColumn('text')
  notice_id: string;

  /** The `webhook-id`, derived from the fact: the same for every notice and attempt. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  type: string;

  /** Exact text; every attempt sends the same. */
  @Column('text')
  body: string;

  @Column('text', { nullable: true })
  agent_id: string | null;

  @Column('text', { nullable: true })
  thread_id: string | null;

  @Column('text', { nullable: true })
  trace_id: string | null;

  @Column('text')
  status: DeliveryStatus;

  @Column('integer')
  attempts: number;

  /** When to try next; null once it no longer waits. */
  @Column('bigint', { nullable: true })
  next_at: number | null;

  /** HTTP status of the last response. */
  @Column('integer', { nullable: true })
  last_status: number | null;

  @Column('text', { nullable: true })
  last_error: string | null;

  /** The beginning of the last response. */
  @Column('text', { nullable: true })
  last_answer: string | null;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
