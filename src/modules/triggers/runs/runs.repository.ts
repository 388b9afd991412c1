import { Injectable } from '@nestjs/common';
import { Database, type SqlSession, type SqlValue } from '../../../database/database.js';
import type { TriggerRun, TriggerRunState } from './trigger-run.entity.js';

/** What changes while a run goes on. */
export type RunChange = Partial<Omit<TriggerRun, 'run_id' | 'seq' | 'agent_name' | 'thread_id'>>;

/** A run that is being taken on. */
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

/** A run that is taken up again. */
type RetriedRun = Omit<NewRun, 'idempotency_key' | 'request_digest'> & Pick<TriggerRun, 'retry_key' | 'retry_since'>;

/** A run that has ended keeps enough to answer a repeated request, and the context of the message, which nobody else has, for a retry. */
const FORGOTTEN: RunChange = { message: '', last_checkpoint: null, outcome: null };

@Injectable()
export class RunsRepository {
  constructor(private readonly database: Database) {}

  /** Stores a queued run; null when its idempotency key or its id is taken. */
  async insert(run: NewRun): Promise<TriggerRun | null> {
    const { run_id, agent_name, thread_id, message, context, source, idempotency_key, request_digest, accepted_at } =
      run;
    const rows = await this.database.transaction((session) =>
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
   * Queues a run again that has ended, also one that this process has forgotten. Without a new context it keeps the one that it had. Null for
   * one that has not ended, is another agent's or thread's, or was last queued again by this key.
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
    const rows = await this.database.transaction((session) =>
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

  async find(runId: string): Promise<TriggerRun | null> {
    const [run] = await this.database.read<TriggerRun>('SELECT * FROM trigger_run WHERE run_id = $1', [runId]);
    return run ? fromRow(run) : null;
  }

  async findByKey(idempotencyKey: string): Promise<TriggerRun | null> {
    const sql = 'SELECT * FROM trigger_run WHERE idempotency_key = $1';
    const [run] = await this.database.read<TriggerRun>(sql, [idempotencyKey]);
    return run ? fromRow(run) : null;
  }

  /** In the order in which they were taken on. */
  async listIds(state: TriggerRunState): Promise<string[]> {
    const sql = 'SELECT run_id FROM trigger_run WHERE state = $1 ORDER BY seq';
    return (await this.database.read<{ run_id: string }>(sql, [state])).map(({ run_id }) => run_id);
  }

  /** Runs that have ended and whose leases are still to be given back. */
  async listUnreleased(): Promise<TriggerRun[]> {
    const sql = `SELECT * FROM trigger_run WHERE state = 'ended' AND fence IS NOT NULL ORDER BY seq`;
    return (await this.database.read<TriggerRun>(sql)).map(fromRow);
  }

  async isUnreleased({ run_id, fence }: Pick<TriggerRun, 'run_id' | 'fence'>): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM trigger_run WHERE run_id = $1 AND state = 'ended' AND fence = $2`;
    return (await this.database.read(sql, [run_id, fence])).length > 0;
  }

  /** The lease of the run was given back. Does nothing where the run was taken up again. */
  async noteReleased({ run_id, fence }: Pick<TriggerRun, 'run_id' | 'fence'>): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `UPDATE trigger_run SET fence = NULL, holder = NULL WHERE run_id = $1 AND state = 'ended' AND fence = $2`,
        [run_id, fence],
      ),
    );
  }

  async hasFinishing(threadId: string): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM trigger_run WHERE state = 'finishing' AND thread_id = $1 LIMIT 1`;
    return (await this.database.read(sql, [threadId])).length > 0;
  }

  async change(session: SqlSession, runId: string, change: RunChange): Promise<void> {
    const names = Object.keys(change);
    const values = Object.values(change) as SqlValue[];
    const setters = names.map((name, at) => `${name} = $${at + 1}`).join(', ');
    await session.query(`UPDATE trigger_run SET ${setters} WHERE run_id = $${names.length + 1}`, [...values, runId]);
  }

  /** The run has ended, and everything was said about it. */
  async end(session: SqlSession, runId: string, nowMs: number): Promise<void> {
    const times = { ended_at: nowMs, process_group: null, process_start: null };
    await this.change(session, runId, { ...FORGOTTEN, ...times, state: 'ended' });
  }

  async deleteEndedBefore(timeMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(`DELETE FROM trigger_run WHERE state = 'ended' AND ended_at < $1`, [timeMs]),
    );
  }
}

/** SQLite has no booleans of its own. */
function fromRow(row: TriggerRun): TriggerRun {
  return { ...row, had_token: Boolean(row.had_token), is_budget_warned: Boolean(row.is_budget_warned) };
}
