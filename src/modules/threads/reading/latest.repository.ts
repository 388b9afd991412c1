import { Injectable } from '@nestjs/common';
import { subAgentPrefix } from '../../../common/bound-agents.js';
import { Database, type SqlValue } from '../../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../../database/sql-literal.js';
import type { CheckpointRecord } from './checkpoint-view.js';

/** Which latest checkpoint is meant; null for no filter. */
export interface LatestFilter {
  traceId: string | null;
  agentId: string | null;
}

const RECORD = 'c.*, t.id AS thread_id, r.trace_id, r.parent_trace_id';
const FIRST_RUN = 1;
const OF_RUN = 'r.thread_pk = c.thread_pk AND r.run_no = c.run_no';

@Injectable()
export class LatestRepository {
  constructor(private readonly database: Database) {}

  /** The thread's number and the number of its last change; null when there is no such thread. */
  async version(threadId: string): Promise<{ pk: number; last_seq: number } | null> {
    if (isNoId(threadId)) return null;
    const rows = await this.database.read<{ pk: number; last_seq: number }>(
      `SELECT pk, last_seq FROM thread WHERE id = $1`,
      [threadId],
    );
    return rows[0] ?? null;
  }

  /** The one of these agents that was last heard of in the thread; null where none of them took part. */
  async lastOf(threadId: string, agentIds: readonly string[]): Promise<string | null> {
    if (isNoId(threadId) || agentIds.length === 0) return null;
    const rows = await this.database.read<{ agent_id: string }>(
      `SELECT a.agent_id FROM thread t JOIN thread_agent a ON a.thread_pk = t.pk
       WHERE t.id = ${sqlLiteral(threadId)} AND ${isOneOf('a.agent_id', agentIds)} ORDER BY a.updated_at DESC LIMIT 1`,
    );
    return rows[0]?.agent_id ?? null;
  }

  async isRunOf(threadId: string, traceId: string, agentIds: readonly string[]): Promise<boolean> {
    if (isNoId(traceId)) return false;
    const rows = await this.database.read(
      `SELECT 1 FROM thread t JOIN run r ON r.thread_pk = t.pk
       WHERE t.id = ${sqlLiteral(threadId)} AND r.trace_id = ${sqlLiteral(traceId)} AND ${isOneOf('r.agent_id', agentIds)}`,
    );
    return rows.length > 0;
  }

  /** Whether one of these agents began the thread, or was called by a run of others in it: its run names theirs, which strangers cannot. */
  async isAtHome(threadId: string, agentIds: readonly string[]): Promise<boolean> {
    const rows = await this.database.read(
      `SELECT 1 FROM thread t JOIN run r ON r.thread_pk = t.pk
       WHERE t.id = ${sqlLiteral(threadId)} AND ${isOneOf('r.agent_id', agentIds)} AND (r.run_no = ${FIRST_RUN} OR EXISTS (
         SELECT 1 FROM run p
         WHERE p.thread_pk = t.pk AND p.trace_id = r.parent_trace_id AND NOT ${isOneOf('p.agent_id', agentIds)})) LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** The latest checkpoint of the thread, of one run, of one agent, or of one agent within one run. */
  async find(threadId: string, { traceId, agentId }: LatestFilter): Promise<CheckpointRecord | null> {
    if ([threadId, traceId, agentId].some(isNoId)) return null;
    if (traceId !== null) return this.latestOfRun(threadId, traceId, agentId);
    if (agentId !== null) return this.latestOfAgent(threadId, agentId);
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN checkpoint c ON c.thread_pk = t.pk AND c.seq = t.latest_seq JOIN run r ON ${OF_RUN}
       WHERE t.id = $1`,
      [threadId],
    );
  }

  /** The last checkpoint of the same run that carries a history; where none does, what the run carried forward when it started. */
  async lastWithHistory(record: CheckpointRecord): Promise<CheckpointRecord | null> {
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN checkpoint c ON c.thread_pk = t.pk JOIN run r ON ${OF_RUN}
       WHERE t.pk = $1 AND c.run_no = $2 AND (c.is_current OR c.is_initial) AND c.history <> ''
       ORDER BY c.is_initial, c.attempt DESC, c.step_index DESC LIMIT 1`,
      [record.thread_pk, record.run_no],
    );
  }

  private latestOfRun(threadId: string, traceId: string, agentId: string | null): Promise<CheckpointRecord | null> {
    const ofAgent = agentId === null ? '' : 'AND c.agent_id = $3';
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN run r ON r.thread_pk = t.pk JOIN checkpoint c ON ${OF_RUN}
       WHERE t.id = $1 AND r.trace_id = $2 AND c.is_current ${ofAgent} ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1`,
      agentId === null ? [threadId, traceId] : [threadId, traceId, agentId],
    );
  }

  private latestOfAgent(threadId: string, agentId: string): Promise<CheckpointRecord | null> {
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN thread_agent a ON a.thread_pk = t.pk
       JOIN checkpoint c ON c.thread_pk = t.pk AND c.run_no = a.latest_run AND c.agent_id = a.agent_id JOIN run r ON ${OF_RUN}
       WHERE t.id = $1 AND a.agent_id = $2 AND c.is_current ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1`,
      [threadId, agentId],
    );
  }

  private async first(sql: string, params: SqlValue[]): Promise<CheckpointRecord | null> {
    const rows = await this.database.read<CheckpointRecord>(sql, params);
    return rows[0] ?? null;
  }
}

/** A condition that a token which is bound to these agents speaks for the agent in the column; see `speaksFor`. */
function isOneOf(column: string, agentIds: readonly string[]): string {
  const families = agentIds.map((agentId) => {
    const prefix = subAgentPrefix(agentId);
    return `substr(${column}, 1, ${[...prefix].length}) = ${sqlLiteral(prefix)}`;
  });
  return `(${[`${column} IN ${sqlTuple(agentIds)}`, ...families].join(' OR ')})`;
}

/** No id holds U+0000, which PostgreSQL would not even take as a value. */
function isNoId(value: string | null): boolean {
  return value?.includes('\0') === true;
}
