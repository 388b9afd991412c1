import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { QueuedRunKind } from '../../../common/contract/queued-run.js';
import type { ProgramIds } from '../program/program-event.js';

/**
 * `queued`: accepted. `running`: its program was or is being started. `finishing`: the program has ended, but not everything about it is
 * reported. `ended`: nothing more to do.
 */
export type TriggerRunState = 'queued' | 'running' | 'finishing' | 'ended';

/** A run that this process has accepted. */
@Entity('trigger_run')
@Index('trigger_run_by_key', ['idempotency_key'], { unique: true })
@Index('trigger_run_by_state', ['state', 'seq'])
@Index('trigger_run_leased', ['seq'], { where: 'fence IS NOT NULL' })
export class TriggerRun {
  /** The run's trace id. */
  @PrimaryColumn('text')
  run_id: string;

  /** The order of acceptance. */
  @Column('integer')
  seq: number;

  @Column('text')
  agent_name: string;

  @Column('text')
  thread_id: string;

  /** Emptied once the run has ended, like all columns below that may be large, except the context. */
  @Column('text')
  message: string;

  /** JSON text of an object, at most 1 MiB; null for none. Kept as long as the row, for a retry. */
  @Column('text', { nullable: true })
  context: string | null;

  /** `webhook`, `schedule`, `invoke`, or `retry` for an ended run that was requeued. */
  @Column('text')
  source: string;

  @Column('text', { nullable: true })
  idempotency_key: string | null;

  /** Digest of the request that the key came with; null if that does not matter. */
  @Column('text', { nullable: true })
  request_digest: string | null;

  /** Of the last retry; null if there was none, or its request had no key. */
  @Column('text', { nullable: true })
  retry_key: string | null;

  /** The thread's last change before that retry: a later end is the retry's. Null if the server did not say. */
  @Column('bigint', { nullable: true })
  retry_since: number | null;

  @Column('text')
  state: TriggerRunState;

  /** How often its program was started. */
  @Column('integer')
  attempt: number;

  /** Process group of the program; null while there is none. */
  @Column('integer', { nullable: true })
  process_group: number | null;

  /** Distinguishes the program from a later process with the same number; null if the system does not say. */
  @Column('text', { nullable: true })
  process_start: string | null;

  /** Whether the program got a token, and so may have reported itself. */
  @Column('boolean')
  had_token: boolean;

  /** ETag of the run's latest checkpoint before the program was started; null if the API was away. */
  @Column('text', { nullable: true })
  start_etag: string | null;

  /** JSON text of the `data` of the last checkpoint that the program printed. */
  @Column('text', { nullable: true })
  last_checkpoint: string | null;

  /** The highest reported cost, in US dollars. */
  @Column('real')
  cost_usd: number;

  @Column('boolean')
  is_budget_warned: boolean;

  /** The fence under which this process drives the run at the API, or did before a restart; null for none, and once released. */
  @Column('bigint', { nullable: true })
  fence: number | null;

  /**
   * The name under which the run's lease is being claimed, for the first time or with that fence. The API may already have granted a new
   * fence, which the same name gets again; null if no claim is in progress.
   */
  @Column('text', { nullable: true })
  holder: string | null;

  /** JSON text of how the program ended; set from `finishing` on. */
  @Column('text', { nullable: true })
  outcome: string | null;

  /** Milliseconds since 1970, like all times here. */
  @Column('bigint')
  accepted_at: number;

  /** Null before its program is started, and again once the run is requeued. */
  @Column('bigint', { nullable: true })
  started_at: number | null;

  @Column('bigint', { nullable: true })
  ended_at: number | null;
}

/** A run's ids, named as in programs and reports. */
export function idsOf({ thread_id, run_id, agent_name }: TriggerRun): ProgramIds {
  return { thread_id, trace_id: run_id, agent_id: agent_name };
}

/** Why the run waits. */
export function queuedKindOf({ source, started_at }: TriggerRun): QueuedRunKind {
  if (started_at !== null) return 'recovered';
  return source === 'retry' ? 'retry' : 'new';
}
