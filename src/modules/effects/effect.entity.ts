import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const EFFECT_STATES = ['started', 'completed', 'failed', 'not_done'] as const;

/** `started` until it is settled. `completed` is final; the other two can be claimed again. */
export type EffectState = (typeof EFFECT_STATES)[number];

export const EFFECT_KINDS = ['write', 'idempotent'] as const;

/** Whether the tool may run again while the outcome of an earlier run is unknown. */
export type EffectKind = (typeof EFFECT_KINDS)[number];

/** Who settled it: the holder, with or without its `claim_id`, or somebody else. */
export type SettledBy = 'claim' | 'holder' | 'other';

/**
 * A tool call that changes the world, and its outcome. Identified by the thread, the agent's id up to its first `:` and the key. Rewritten
 * with each claim and settlement; only the last attempt is kept.
 */
@Entity('effect')
@Index('effect_by_state', ['state', 'started_at', 'thread_pk', 'seq'])
@Index('effect_undecided', ['thread_pk'], { where: "state = 'started' AND kind = 'write'" })
@Index('effect_decided', ['settled_at', 'thread_pk', 'seq'], {
  where: 'decided_by IS NOT NULL AND settled_at IS NOT NULL',
})
@Index('effect_by_change', ['changed_at', 'thread_pk', 'seq'])
export class Effect {
  @PrimaryColumn('integer')
  thread_pk: number;

  /** The agent's id up to its first `:`. */
  @PrimaryColumn('text')
  agent: string;

  @PrimaryColumn('text')
  key: string;

  /** The thread's number of the first claim, which orders its effects. */
  @Column('integer')
  seq: number;

  /** The thread's number of the last change. */
  @Column('integer')
  rev: number;

  @Column('text')
  thread_id: string;

  /** The last claim's. The run may not have begun yet. */
  @Column('text')
  trace_id: string;

  @Column('text')
  agent_id: string;

  @Column('text')
  tool: string;

  @Column('text')
  kind: EffectKind;

  /** Exact JSON; null for none. */
  @Column('text', { nullable: true })
  args: string | null;

  /** Of the canonical form. */
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

  /** The run whose lease counts for the claim's run: this one or a caller. */
  @Column('text')
  lease_trace: string;

  /** That run's last fence at the time of the claim; null if it never had a lease. */
  @Column('bigint', { nullable: true })
  fence: number | null;

  /** Seconds until a claim without a lease is in doubt. */
  @Column('integer')
  doubt_after_seconds: number;

  /** Its holder does not know the outcome. */
  @Column('boolean')
  is_unknown: boolean;

  /** Another claim met it while it was started without a lease. */
  @Column('boolean')
  is_met: boolean;

  /** The last claim's. */
  @Column('bigint')
  started_at: number;

  @Column('bigint', { nullable: true })
  settled_at: number | null;

  @Column('text', { nullable: true })
  settled_by: SettledBy | null;

  /** Exact JSON. */
  @Column('text', { nullable: true })
  result: string | null;

  /** It was too large to send. */
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
