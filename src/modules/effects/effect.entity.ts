import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const EFFECT_STATES = ['started', 'completed', 'failed', 'not_done'] as const;

/** `started` until it is settled. Completed is forever; the other two can be claimed again. */
export type EffectState = (typeof EFFECT_STATES)[number];

export const EFFECT_KINDS = ['write', 'idempotent'] as const;

/** Whether the tool may run again while nobody knows what became of an earlier run of it. */
export type EffectKind = (typeof EFFECT_KINDS)[number];

/** By whom it was settled: the holder, with or without its `claim_id`, or somebody else. */
export type SettledBy = 'claim' | 'holder' | 'other';

/**
 * A tool call that changes the world, and what became of it. Its identity is the thread, the agent up to its first `:` and the key.
 * It is rewritten with each claim and settling; only the last attempt is kept.
 */
@Entity('effect')
@Index('effect_by_state', ['state', 'started_at', 'thread_pk', 'seq'])
@Index('effect_undecided', ['thread_pk'], { where: "state = 'started' AND kind = 'write'" })
@Index('effect_by_change', ['changed_at', 'thread_pk', 'seq'])
export class Effect {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The agent's id up to its first `:`. */
  @PrimaryColumn('text')
  agent: string;

  @PrimaryColumn('text')
  key: string;

  /** The thread's number of the first claim: the order of the effects in it. */
  @Column('integer')
  seq: number;

  /** The thread's number of the last change. */
  @Column('integer')
  rev: number;

  @Column('text')
  thread_id: string;

  /** Of the last claim. Its run may not have begun yet. */
  @Column('text')
  trace_id: string;

  @Column('text')
  agent_id: string;

  @Column('text')
  tool: string;

  @Column('text')
  kind: EffectKind;

  /** Exact JSON; null if none were given. */
  @Column('text', { nullable: true })
  args: string | null;

  /** Of their canonical form. */
  @Column('text')
  args_digest: string;

  @Column('text', { nullable: true })
  call_id: string | null;

  @Column('text')
  state: EffectState;

  /** How often it was claimed. */
  @Column('integer')
  attempt: number;

  @Column('text', { nullable: true })
  claim_id: string | null;

  @Column('text', { nullable: true })
  holder: string | null;

  /** Whether the claim was made under a lease. */
  @Column('boolean')
  is_leased: boolean;

  /** The run whose lease counts for the claim's run: this one or one above it. */
  @Column('text')
  lease_trace: string;

  /** The last fence of that run at the time of the claim; null if it never had a lease. */
  @Column('bigint', { nullable: true })
  fence: number | null;

  /** Seconds until a claim without a lease is in doubt. */
  @Column('integer')
  doubt_after_seconds: number;

  /** Its holder does not know what became of it. */
  @Column('boolean')
  is_unknown: boolean;

  /** Another claim met it while it was started, and it has no lease. */
  @Column('boolean')
  is_met: boolean;

  /** Of the last claim. */
  @Column('bigint')
  started_at: number;

  @Column('bigint', { nullable: true })
  settled_at: number | null;

  @Column('text', { nullable: true })
  settled_by: SettledBy | null;

  /** Exact JSON. */
  @Column('text', { nullable: true })
  result: string | null;

  /** It was too large to be sent. */
  @Column('boolean')
  result_omitted: boolean;

  /** Exact JSON. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('text', { nullable: true })
  decided_by: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('bigint')
  changed_at: number;
}
