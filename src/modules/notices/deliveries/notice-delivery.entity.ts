import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'dropped'] as const;

/** `failed` was given up after the last attempt; `dropped` came while too many waited. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What a notice is told, once. It holds no argument of a tool and no message, unless the notice asks for answers. */
@Entity('notice_delivery')
@Index('notice_delivery_due', ['notice_id', 'status', 'next_at'])
@Index('notice_delivery_by_time', ['notice_id', 'created_at', 'id'])
@Index('notice_delivery_by_age', ['created_at'])
export class NoticeDelivery {
  @PrimaryColumn('text')
  notice_id: string;

  /** The `webhook-id`, made from the fact: the same for every notice and every attempt. */
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

  /** When to try; null once it no longer waits. */
  @Column('bigint', { nullable: true })
  next_at: number | null;

  /** HTTP status of the last answer. */
  @Column('integer', { nullable: true })
  last_status: number | null;

  @Column('text', { nullable: true })
  last_error: string | null;

  /** The beginning of the last answer. */
  @Column('text', { nullable: true })
  last_answer: string | null;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
