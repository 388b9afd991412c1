import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const EVENT_KINDS = ['status', 'log', 'approval', 'effect', 'retry'] as const;

/** A change of the thread that is no checkpoint: the live stream and the logs show it beside the messages. */
@Entity('thread_event', { withoutRowid: true })
@Index('thread_event_approvals', ['change_no', 'thread_pk', 'seq'], { where: "kind = 'approval'" })
@Index('thread_event_effects', ['change_no', 'thread_pk', 'seq'], { where: "kind = 'effect'" })
export class ThreadEvent {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('integer')
  seq: number;

  @Column('text')
  kind: (typeof EVENT_KINDS)[number];

  /** The reported type (`budget_warning`, ...); for a status, its new value. */
  @Column('text')
  type: string;

  @Column('integer', { nullable: true })
  run_no: number | null;

  @Column('integer', { nullable: true })
  step_index: number | null;

  /** Exact JSON of the reported data; null for none. For an exceeded budget see `exceededBudgetData`. */
  @Column('text', { nullable: true })
  data: string | null;

  @Column('bigint')
  created_at: number;

  /** As in `Thread`, for approvals and effects; otherwise 0. */
  @Column('bigint', { default: 0 })
  change_no: number;
}
