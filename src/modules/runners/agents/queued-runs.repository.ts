import { Injectable } from '@nestjs/common';
import { Database, type SqlReader, type SqlSession, type SqlValue } from '../../../database/database.js';
import type { QueuedRunRow } from './queued-run.entity.js';

/** Values that one statement takes at most. */
const MAX_ROWS = 500;
const COLUMNS = ['process_id', 'agent_id', 'thread_id', 'trace_id', 'queued_at', 'noted_at', 'bound_to'] as const;

type NamedRun = Pick<QueuedRunRow, (typeof COLUMNS)[number]>;
type RunKey = Pick<QueuedRunRow, 'process_id' | 'agent_id' | 'thread_id' | 'trace_id' | 'queued_at'>;

@Injectable()
export class QueuedRunsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores which runs of these agents wait in the process: those, and no others. One that was known keeps what was known of it.
   * @returns those of them that were cancelled
   */
  async replace(processId: string, agentIds: readonly string[], runs: readonly NamedRun[]): Promise<QueuedRunRow[]> {
    const reader: SqlReader = { query: (sql, params) => this.database.read(sql, params) };
    const known = await ofProcess(reader, processId, agentIds);
    // Most heartbeats change nothing, and only its own process changes its rows but for what people cancel.
    if (known.length === runs.length && newsAmong(known, runs).length === 0) return known.filter(isCancelled);
    return this.database.transaction(async (session) => {
      const named = new Set(runs.map(keyOf));
      const stored = await ofProcess(session, processId, agentIds);
      for (const row of stored) if (!named.has(keyOf(row))) await remove(session, row);
      const news = newsAmong(stored, runs);
      for (let from = 0; from < news.length; from += MAX_ROWS) await add(session, news.slice(from, from + MAX_ROWS));
      return (await ofProcess(session, processId, agentIds)).filter(isCancelled);
    });
  }

  /** The newest of this run that wait; null for none. */
  async find(threadId: string, traceId: string): Promise<QueuedRunRow | null> {
    const sql = `SELECT * FROM queued_run WHERE trace_id = $1 AND thread_id = $2 AND cancelled_at IS NULL ORDER BY noted_at DESC LIMIT 1`;
    return (await this.database.read<QueuedRunRow>(sql, [traceId, threadId]))[0] ?? null;
  }

  /** Those of these agents that wait, the first accepted first. */
  ofAgents(agentIds: readonly string[]): Promise<QueuedRunRow[]> {
    if (agentIds.length === 0) return Promise.resolve([]);
    const sql = `SELECT * FROM queued_run WHERE agent_id IN (${places(agentIds.length, 1)}) AND cancelled_at IS NULL
      ORDER BY queued_at, thread_id, trace_id`;
    return this.database.read<QueuedRunRow>(sql, agentIds);
  }

  async noteCancelled(run: RunKey, nowMs: number, reason: string | null): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `UPDATE queued_run SET cancelled_at = $1, reason = $2
         WHERE process_id = $3 AND agent_id = $4 AND thread_id = $5 AND trace_id = $6 AND queued_at = $7 AND cancelled_at IS NULL`,
        [nowMs, reason, run.process_id, run.agent_id, run.thread_id, run.trace_id, run.queued_at],
      ),
    );
  }
}

function ofProcess(reader: SqlReader, processId: string, agentIds: readonly string[]): Promise<QueuedRunRow[]> {
  const sql = `SELECT * FROM queued_run WHERE process_id = $1 AND agent_id IN (${places(agentIds.length, 2)})`;
  return reader.query<QueuedRunRow>(sql, [processId, ...agentIds]);
}

/** Runs that are not known, or were accepted again since. */
function newsAmong(known: readonly QueuedRunRow[], runs: readonly NamedRun[]): NamedRun[] {
  const acceptedAt = new Map(known.map((row) => [keyOf(row), row.queued_at]));
  return runs.filter((run) => acceptedAt.get(keyOf(run)) !== run.queued_at);
}

function isCancelled({ cancelled_at }: QueuedRunRow): boolean {
  return cancelled_at !== null;
}

async function remove(session: SqlSession, { process_id, agent_id, thread_id, trace_id }: QueuedRunRow): Promise<void> {
  await session.query(
    `DELETE FROM queued_run WHERE process_id = $1 AND agent_id = $2 AND thread_id = $3 AND trace_id = $4`,
    [process_id, agent_id, thread_id, trace_id],
  );
}

/** A run that was accepted again is another one: nobody has cancelled it. */
async function add(session: SqlSession, runs: readonly NamedRun[]): Promise<void> {
  const rows = runs.map((_, at) => `(${places(COLUMNS.length, at * COLUMNS.length + 1)})`);
  const values: SqlValue[] = runs.flatMap((run) => COLUMNS.map((name) => run[name]));
  await session.query(
    `INSERT INTO queued_run (${COLUMNS.join(', ')}) VALUES ${rows.join(', ')}
     ON CONFLICT (process_id, agent_id, thread_id, trace_id) DO UPDATE SET queued_at = excluded.queued_at,
       noted_at = excluded.noted_at, bound_to = excluded.bound_to, cancelled_at = NULL, reason = NULL
     WHERE queued_run.queued_at <> excluded.queued_at`,
    values,
  );
}

function places(count: number, first: number): string {
  return Array.from({ length: count }, (_, at) => `$${first + at}`).join(', ');
}

function keyOf({ agent_id, thread_id, trace_id }: Pick<RunKey, 'agent_id' | 'thread_id' | 'trace_id'>): string {
  return JSON.stringify([agent_id, thread_id, trace_id]);
}
