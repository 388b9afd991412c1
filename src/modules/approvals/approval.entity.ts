import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'superseded'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The verbs for calls that ask no questions. */
export type Verb = 'approve' | 'reject';

export const APPROVAL_KINDS = ['approval', 'question'] as const;

/** `question` if at least one call asks questions. */
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/**
 * Tool calls of one checkpoint that wait, or waited, for a person. Its identity is thread, run, attempt, step and the digest of the exact
 * calls: changed calls make a new approval. It leaves `pending` once.
 */
@Entity('approval')
@Index('approval_by_status', ['status', 'created_at', 'thread_pk', 'seq'])
@Index('approval_by_time', ['created_at', 'thread_pk', 'seq'])
@Index('approval_by_agent', ['agent_id', 'status', 'created_at', 'thread_pk', 'seq'])
@Index('approval_by_address', ['trace_id', 'step_index', 'thread_id'])
@Index('approval_by_expiry', ['status', 'expires_at'])
@Index('approval_by_reminder', ['remind_at'], { where: 'remind_at IS NOT NULL' })
@Index('approval_by_change', ['changed_at', 'thread_pk', 'seq'])
@Index('approval_by_rule', ['rule_id', 'created_at', 'thread_pk', 'seq'])
export class Approval {
  @PrimaryColumn('integer')
  thread_pk: number;

  @PrimaryColumn('integer')
  run_no: number;

  @PrimaryColumn('integer')
  attempt: number;

  @PrimaryColumn('integer')
  step_index: number;

  /** Digest of the exact text of the calls. */
  @PrimaryColumn('text')
  digest: string;

  /** The thread's sequence number of the checkpoint that opened it. */
  @Column('integer')
  seq: number;

  @Column('text')
  thread_id: string;

  @Column('text')
  trace_id: string;

  @Column('text', { nullable: true })
  parent_trace_id: string | null;

  @Column('text')
  agent_id: string;

  @Column('text')
  status: ApprovalStatus;

  /** Exact JSON of the reported array; if that is too large to show, an object with the shown part. */
  @Column('text')
  tool_calls: string;

  /** JSON array of the parts of a decision that the agent declares to support. */
  @Column('text')
  features: string;

  @Column('text', { default: 'approval' })
  kind: ApprovalKind;

  /** JSON array, parallel to the calls: decision, edited arguments and answers of each; null before a decision. */
  @Column('text', { nullable: true })
  decisions: string | null;

  /** The verb of the decision. */
  @Column('text', { nullable: true })
  verb: Verb | 'answer' | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  decided_by: string | null;

  /** How it was decided: the name of the token, or the server's own action. */
  @Column('text', { nullable: true })
  decided_through: string | null;

  /** Space-separated ids of the rules that decided, the record's first; null if none did. */
  @Column('text', { nullable: true })
  rule_id: string | null;

  @Column('bigint')
  created_at: number;

  @Column('bigint', { nullable: true })
  expires_at: number | null;

  /** JSON array of seconds after `created_at` at which people are reminded, ascending; null for never. */
  @Column('text', { nullable: true })
  reminders: string | null;

  /** How often people were reminded. */
  @Column('integer', { default: 0 })
  reminded: number;

  /** When the next reminder is due; null for none, always null once closed. */
  @Column('bigint', { nullable: true })
  remind_at: number | null;

  @Column('bigint', { nullable: true })
  decided_at: number | null;

  @Column('bigint')
  changed_at: number;
}
