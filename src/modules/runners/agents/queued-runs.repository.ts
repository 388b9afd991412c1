import { Injectable } from '@nestjs/common';
import { digestOf } from '../../../common/digest.js';
import { Database, type SqlReader, type SqlSession, type SqlValue } from '../../../database/database.js';
import type { QueuedRunRow } from './queued-run.entity.js';

/** Rows per statement. */
const MAX_ROWS = 500;
/** Rows of an agent over all processes: process ids are unverified. */
const MAX_OF_AGENT = 1_000;
/** If there is no room, other processes' rows older than this are removed: most belong to processes that never came back. */
const SETTLED_MS = 3_600_000;
const COLUMNS = [
  'place',
  'process_id',
  'agent_id',
  'thread_id',
  'trace_id',
  'queued_at',
  'noted_at',
  'bound_to',
  'kind',
] as const;

const KEPT_WHERE_THE_SAME = [
  ['noted_at', 'excluded.noted_at'],
  ['bound_to', 'excluded.bound_to'],
  ['cancelled_at', 'NULL'],
  ['reason', 'NULL'],
]
  .map(
    ([name, value]) =>
      `${name} = CASE WHEN queued_run.queued_at = excluded.queued_at THEN queued_run.${name} ELSE ${value} END`,
  )
  .join(', ');

type StoredRun = Pick<QueuedRunRow, (typeof COLUMNS)[number]>;
export type NamedRun = Omit<StoredRun, 'place'>;
type RunKey = Pick<QueuedRunRow, 'agent_id' | 'thread_id' | 'trace_id'>;

@Injectable()
export class QueuedRunsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes these the only queued runs of the agents in the process, as far as there is room. Known runs keep their data.
   * @returns the cancelled runs among them
   */
  async replace(processId: string, agentIds: readonly string[], runs: readonly NamedRun[]): Promise<QueuedRunRow[]> {
    const known = await ofProcess(this.database.reader, processId, agentIds);
    // Most heartbeats change nothing, and except for cancellations only the process itself changes its rows.
    if (known.length === runs.length && newsAmong(known, runs).length === 0) return known.filter(isCancelled);
    return this.database.transaction(async (session) => {
      const named = new Set(runs.map(keyOf));
      const stored = await ofProcess(session, processId, agentIds);
      for (const row of stored) if (!named.has(keyOf(row))) await remove(session, row);
      const news = await fitting(session, stored, newsAmong(stored, runs));
      for (let from = 0; from < news.length; from += MAX_ROWS) await add(session, news.slice(from, from + MAX_ROWS));
      return (await ofProcess(session, processId, agentIds)).filter(isCancelled);
    });
  }

  /** Queued runs with this trace, last noted first. */
  find(threadId: string, traceId: string): Promise<QueuedRunRow[]> {
    const sql = `SELECT * FROM queued_run WHERE trace_id = $1 AND thread_id = $2 AND cancelled_at IS NULL ORDER BY noted_at DESC, place`;
    return this.database.read<QueuedRunRow>(sql, [traceId, threadId]);
  }

  /** These agents' queued runs, oldest first. */
  ofAgents(agentIds: readonly string[]): Promise<QueuedRunRow[]> {
    if (agentIds.length === 0) return Promise.resolve([]);
    const sql = `SELECT * FROM queued_run WHERE agent_id IN (${places(agentIds.length, 1)}) AND cancelled_at IS NULL
      ORDER BY queued_at, thread_id, trace_id`;
    return this.database.read<QueuedRunRow>(sql, agentIds);
  }

  async noteCancelled({ place, queued_at }: QueuedRunRow, nowMs: number, reason: string | null): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `UPDATE queued_run SET cancelled_at = $1, reason = $2 WHERE place = $3 AND queued_at = $4 AND cancelled_at IS NULL`,
        [nowMs, reason, place, queued_at],
      ),
    );
  }

  /** Deletes runs first noted, or cancelled, before this time. Runs that a process still lists are noted again. */
  async deleteNotedBefore(ms: number): Promise<void> {
    const sql = `DELETE FROM queued_run WHERE COALESCE(cancelled_at, noted_at) < $1`;
    await this.database.transaction((session) => session.query(sql, [ms]));
  }
}

function ofProcess(reader: SqlReader, processId: string, agentIds: readonly string[]): Promise<QueuedRunRow[]> {
  const sql = `SELECT * FROM queued_run WHERE process_id = $1 AND agent_id IN (${places(agentIds.length, 2)})`;
  return reader.query<QueuedRunRow>(sql, [processId, ...agentIds]);
}

/** Runs that are unknown, or were accepted again or begun since. */
function newsAmong(known: readonly QueuedRunRow[], runs: readonly NamedRun[]): NamedRun[] {
  const rows = new Map(known.map((row) => [keyOf(row), row]));
  return runs.filter((run) => {
    const row = rows.get(keyOf(run));
    return row === undefined || Number(row.queued_at) !== run.queued_at || row.kind !== run.kind;
  });
}

function isCancelled({ cancelled_at }: QueuedRunRow): boolean {
  return cancelled_at !== null;
}

async function remove(session: SqlSession, { place }: QueuedRunRow): Promise<void> {
  await session.query(`DELETE FROM queued_run WHERE place = $1`, [place]);
}

/** Leaves out unknown runs for which there is no room. */
async function fitting(
  session: SqlSession,
  stored: readonly QueuedRunRow[],
  news: readonly NamedRun[],
): Promise<NamedRun[]> {
  const known = new Set(stored.map(keyOf));
  const fresh = news.filter((run) => !known.has(keyOf(run)));
  const taken = news.filter((run) => known.has(keyOf(run)));
  for (const agentId of new Set(fresh.map(({ agent_id }) => agent_id))) {
    const runs = fresh.filter(({ agent_id }) => agent_id === agentId);
    const missing = runs.length - (await roomFor(session, agentId));
    if (missing > 0) await makeRoom(session, runs[0]!, missing);
    taken.push(...runs.slice(0, missing > 0 ? await roomFor(session, agentId) : runs.length));
  }
  return taken;
}

async function roomFor(session: SqlSession, agentId: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM queued_run WHERE agent_id = $1`;
  const [row] = await session.query<{ count: number | string }>(sql, [agentId]);
  return Math.max(0, MAX_OF_AGENT - Number(row!.count));
}

/** Removes the oldest rows. */
async function makeRoom(session: SqlSession, { agent_id, process_id, noted_at }: NamedRun, count: number) {
  await session.query(
    `DELETE FROM queued_run WHERE place IN (
       SELECT place FROM queued_run WHERE agent_id = $1 AND process_id <> $2 AND noted_at < $3 ORDER BY noted_at LIMIT $4)`,
    [agent_id, process_id, noted_at - SETTLED_MS, count],
  );
}

/** A run accepted again is a new one that nobody has cancelled. One that has only begun since keeps its data. */
async function add(session: SqlSession, runs: readonly NamedRun[]): Promise<void> {
  const rows = runs.map((_, at) => `(${places(COLUMNS.length, at * COLUMNS.length + 1)})`);
  const stored: StoredRun[] = runs.map((run) => ({ ...run, place: placeOf(run) }));
  const values: SqlValue[] = stored.flatMap((run) => COLUMNS.map((name) => run[name]));
  await session.query(
    `INSERT INTO queued_run (${COLUMNS.join(', ')}) VALUES ${rows.join(', ')}
     ON CONFLICT (place) DO UPDATE SET kind = excluded.kind, queued_at = excluded.queued_at, ${KEPT_WHERE_THE_SAME}`,
    values,
  );
}

function places(count: number, first: number): string {
  return Array.from({ length: count }, (_, at) => `$${first + at}`).join(', ');
}

function placeOf({ process_id, agent_id, thread_id, trace_id }: NamedRun): string {
  return digestOf(JSON.stringify([process_id, agent_id, thread_id, trace_id]));
}

function keyOf({ agent_id, thread_id, trace_id }: RunKey): string {
  return JSON.stringify([agent_id, thread_id, trace_id]);
}
