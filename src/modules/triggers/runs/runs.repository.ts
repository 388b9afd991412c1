import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, Not } from 'typeorm';
import type { SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { TriggerRun, type TriggerRunState } from './trigger-run.entity.js';

/** Members that change during a run. */
export type RunChange = Partial<Omit<TriggerRun, 'run_id' | 'seq' | 'agent_name' | 'thread_id'>>;

export type NewRun = Pick<
  TriggerRun,
  | 'run_id'
  | 'agent_name'
  | 'thread_id'
  | 'message'
  | 'context'
  | 'source'
  | 'idempotency_key'
  | 'request_digest'
  | 'accepted_at'
>;

/** An ended run that is queued again. */
type RetriedRun = Omit<NewRun, 'idempotency_key' | 'request_digest'> & Pick<TriggerRun, 'retry_key' | 'retry_since'>;

/**
 * What to clear when a run ends. Enough stays to respond to a repeated request, and to retry with the message's context, which exists
 * nowhere else.
 */
const FORGOTTEN: RunChange = { message: '', last_checkpoint: null, outcome: null };

@Injectable()
export class RunsRepository {
  constructor(private readonly entities: PortDataSource) {}

  /** Stores a queued run; null if its idempotency key or its id is taken. */
  async insert(run: NewRun): Promise<TriggerRun | null> {
    const { run_id, agent_name, thread_id, message, context, source, idempotency_key, request_digest, accepted_at } =
      run;
    const rows = await this.entities.write((_manager, session) =>
      session.query<TriggerRun>(
        `INSERT INTO trigger_run (run_id, seq, agent_name, thread_id, message, context, source, idempotency_key, request_digest, accepted_at,
           state, attempt, had_token, cost_usd, is_budget_warned)
         SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', 0, FALSE, 0, FALSE FROM trigger_run WHERE TRUE
         ON CONFLICT DO NOTHING RETURNING *`,
        [run_id, agent_name, thread_id, message, context, source, idempotency_key, request_digest, accepted_at],
      ),
    );
    return rows[0] ? fromRow(rows[0]) : null;
  }

  /**
   * Queues an ended run again, even one that this process no longer knows. Without a new context it keeps its old one. Null if it has not
   * ended, belongs to another agent or thread, or was last requeued with this key.
   */
  async requeue({
    run_id,
    agent_name,
    thread_id,
    message,
    context,
    source,
    accepted_at,
    retry_key,
    retry_since,
  }: RetriedRun): Promise<TriggerRun | null> {
    const rows = await this.entities.write((_manager, session) =>
      session.query<TriggerRun>(
        `INSERT INTO trigger_run (run_id, seq, agent_name, thread_id, message, context, source, accepted_at, retry_key, retry_since,
           state, attempt, had_token, cost_usd, is_budget_warned)
         SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', 1, FALSE, 0, FALSE FROM trigger_run WHERE TRUE
         ON CONFLICT (run_id) DO UPDATE SET message = $4, context = COALESCE($5, trigger_run.context), source = $6, accepted_at = $7, retry_key = $8, retry_since = $9, state = 'queued',
           start_etag = NULL, last_checkpoint = NULL, outcome = NULL, started_at = NULL, ended_at = NULL, fence = NULL, holder = NULL
         WHERE trigger_run.state = 'ended' AND trigger_run.agent_name = $2 AND trigger_run.thread_id = $3
           AND ($8 IS NULL OR trigger_run.retry_key IS NOT $8) RETURNING *`,
        [run_id, agent_name, thread_id, message, context, source, accepted_at, retry_key, retry_since],
      ),
    );
    return rows[0] ? fromRow(rows[0]) : null;
  }

  async get(runId: string): Promise<TriggerRun> {
    const run = await this.find(runId);
    if (run === null) throw new Error(`There is no run ${runId}.`);
    return run;
  }

  find(runId: string): Promise<TriggerRun | null> {
    return this.entities.manager.findOneBy(TriggerRun, { run_id: runId });
  }

  findByKey(idempotencyKey: string): Promise<TriggerRun | null> {
    return this.entities.manager.findOneBy(TriggerRun, { idempotency_key: idempotencyKey });
  }

  /** In order of acceptance. */
  async listIds(state: TriggerRunState): Promise<string[]> {
    const options = { select: { run_id: true }, where: { state }, order: { seq: 'ASC' } } as const;
    return (await this.entities.manager.find(TriggerRun, options)).map(({ run_id }) => run_id);
  }

  /** Ended runs whose leases are still to be released. */
  listUnreleased(): Promise<TriggerRun[]> {
    const where = { state: 'ended' as const, fence: Not(IsNull()) };
    return this.entities.manager.find(TriggerRun, { where, order: { seq: 'ASC' } });
  }

  isUnreleased(run: Pick<TriggerRun, 'run_id' | 'fence'>): Promise<boolean> {
    return this.entities.manager.existsBy(TriggerRun, unreleased(run));
  }

  /** Stores that the run's lease was released. Does nothing if the run was requeued. */
  async noteReleased(run: Pick<TriggerRun, 'run_id' | 'fence'>): Promise<void> {
    await this.entities.manager.update(TriggerRun, unreleased(run), { fence: null, holder: null });
  }

  hasFinishing(threadId: string): Promise<boolean> {
    return this.entities.manager.existsBy(TriggerRun, { state: 'finishing', thread_id: threadId });
  }

  async change(session: SqlSession, runId: string, change: RunChange): Promise<void> {
    await this.entities.within(session).update(TriggerRun, { run_id: runId }, change);
  }

  /** The run has ended and everything about it was reported. */
  async end(session: SqlSession, runId: string, nowMs: number): Promise<void> {
    const times = { ended_at: nowMs, process_group: null, process_start: null };
    await this.change(session, runId, { ...FORGOTTEN, ...times, state: 'ended' });
  }

  async deleteEndedBefore(timeMs: number): Promise<void> {
    await this.entities.manager.delete(TriggerRun, { state: 'ended', ended_at: LessThan(timeMs) });
  }
}

function unreleased({ run_id, fence }: Pick<TriggerRun, 'run_id' | 'fence'>) {
  return { run_id, state: 'ended' as const, fence: fence ?? IsNull() };
}

/** SQLite has no booleans. */
function fromRow(row: TriggerRun): TriggerRun {
  return { ...row, had_token: Boolean(row.had_token), is_budget_warned: Boolean(row.is_budget_warned) };
}
