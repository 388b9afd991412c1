import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredFields } from '../../../common/contract/checkpoint-fields.js';
import type { LongText } from '../../../common/long-text.js';

/** The `approval` of a checkpoint whose tool calls nobody can decide any more. */
export const SUPERSEDED = '{"status":"superseded"}';

/**
 * One report of a snapshot: a small record that points into the thread's logs of messages and metadata.
 * A replaced report stays, with `is_current` false: the journal recognises its replay by it, and streams that resume need it.
 */
@Entity('checkpoint', { withoutRowid: true })
@Index('checkpoint_by_order', ['thread_pk', 'run_no', 'attempt', 'step_index'])
@Index('checkpoint_by_step', ['thread_pk', 'run_no', 'step_index'])
@Index('checkpoint_by_event', ['thread_pk', 'event_id'], { where: 'event_id IS NOT NULL' })
export class Checkpoint implements StoredFields {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The thread's number of the change that stored it. */
  @PrimaryColumn('integer')
  seq: number;

  @Column('integer')
  run_no: number;

  @Column('integer')
  attempt: number;

  @Column('integer')
  step_index: number;

  @Column('boolean')
  is_current: boolean;

  /** True for the row that a start creates; the first checkpoint of its run replaces it. */
  @Column('boolean')
  is_initial: boolean;

  /** Digest of the reported text; decisions and merged statuses do not count. */
  @Column('text')
  digest: string;

  /** The id of the event that reported it, by which later ones name it as their base; null if it had none, or before this was kept. */
  @Column('text', { nullable: true })
  event_id: string | null;

  /**
   * The digests of its lists, of history and then of metadata, for reports that continue from it; an empty list has none. Null if it has no
   * event id, or before this was kept.
   */
  @Column('text', { nullable: true })
  list_digests: string | null;

  @Column('text')
  status: string;

  @Column('text')
  agent_id: string;

  @Column('text')
  model: string;

  @Column('integer')
  tokens_used: number;

  @Column('integer')
  input_tokens: number;

  @Column('integer')
  output_tokens: number;

  @Column('integer')
  turn_start_history_len: number;

  @Column('double precision')
  run_cost_usd: number;

  @Column('double precision')
  budget_usd: number;

  @Column('boolean')
  budget_warning: boolean;

  /**
   * Ranges of the log of messages (`0-59,64-70`, both ends included; empty for none). Where the list continues from that of another row,
   * those that follow, of which there is at least one.
   */
  @Column('text')
  history: string;

  /** The earlier row whose list this one begins with, for a list of very many ranges; null if the row has all of them. */
  @Column('integer', { nullable: true })
  history_from: number | null;

  /** How many characters of the ranges of that list count. */
  @Column('integer', { nullable: true })
  history_from_length: number | null;

  @Column('integer')
  history_length: number;

  /** Ranges of the log of metadata. */
  @Column('text')
  history_meta: string;

  /** The same for the metadata. */
  @Column('integer', { nullable: true })
  history_meta_from: number | null;

  @Column('integer', { nullable: true })
  history_meta_from_length: number | null;

  /** Exact JSON of a non-empty array; null for an empty one. */
  @Column('text', { nullable: true })
  pending_tool_calls: string | null;

  /** Members that the contract does not know, exact JSON without the braces. A very long one that was just reported is no string yet. */
  @Column('text', { nullable: true })
  extra: string | LongText | null;

  @Column('text', { nullable: true })
  error: string | null;

  /** The decision on its tool calls as `latest` shows it, JSON; null before one was made. */
  @Column('text', { nullable: true })
  approval: string | null;

  /** The thread's number of the last change to this row; distinguishes its versions. */
  @Column('integer')
  rev: number;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
