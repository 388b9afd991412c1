import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredFields } from '../../../common/contract/checkpoint-fields.js';
import type { LongText } from '../../../common/long-text.js';

/** The `approval` of a checkpoint whose tool calls nobody can decide any more. */
export const SUPERSEDED = '{"status":"superseded"}';

/**
 * One report of a snapshot: a small record that points into the thread's logs of messages and metadata.
 * A replaced report stays with `is_current` false: the journal recognises replays by it, and resuming streams need it.
 */
@Entity('checkpoint', { withoutRowid: true })
@Index('checkpoint_by_order', ['thread_pk', 'run_no', 'attempt', 'step_index'])
@Index('checkpoint_by_step', ['thread_pk', 'run_no', 'step_index'])
@Index('checkpoint_by_event', ['thread_pk', 'event_id'], { where: 'event_id IS NOT NULL' })
export class Checkpoint implements StoredFields {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The number of the thread's change that stored it. */
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

  /** True for the row that a run's start creates; the run's first checkpoint replaces it. */
  @Column('boolean')
  is_initial: boolean;

  /** Digest of the reported text, without decisions and merged statuses. */
  @Column('text')
  digest: string;

  /** The id of the event that reported it, which later events name as their base; null if it had none, or in old rows. */
  @Column('text', { nullable: true })
  event_id: string | null;

  /**
   * The digests of history and metadata, for reports that continue it; an empty list has none. Null without an event id, and in old rows.
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
   * Ranges of the message log (`0-59,64-70`, both ends included; empty for none). If the list continues another row's, only those that
   * follow; at least one.
   */
  @Column('text')
  history: string;

  /** The earlier row whose list this one begins with, for lists with many ranges; null if the row has all of them. */
  @Column('integer', { nullable: true })
  history_from: number | null;

  /** How many characters of that row's ranges this list begins with. */
  @Column('integer', { nullable: true })
  history_from_length: number | null;

  @Column('integer')
  history_length: number;

  /** Ranges of the metadata log. */
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

  /** Members unknown to the contract: exact JSON without the braces. Not yet a string if it is very long and just reported. */
  @Column('text', { nullable: true })
  extra: string | LongText | null;

  @Column('text', { nullable: true })
  error: string | null;

  /** The decision on its tool calls as `latest` shows it, JSON; null before there is one. */
  @Column('text', { nullable: true })
  approval: string | null;

  /** The number of the thread's change that last changed the row. */
  @Column('integer')
  rev: number;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
