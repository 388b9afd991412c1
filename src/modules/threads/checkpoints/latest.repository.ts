import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../../../database/database.js';
import type { Run } from '../entities/run.entity.js';
import type { ThreadAgent } from '../entities/thread-agent.entity.js';
import type { LatestFilter } from '../threads.contract.js';
import { ListTextsRepository, type ListTexts } from '../message-log/list-texts.repository.js';
import { CHECKPOINT_MATCH, checkpointColumns, unpackCheckpoint, type PackedCheckpoint } from './checkpoint-columns.js';
import type { CheckpointRecord } from './checkpoint.json.js';
import { isLong } from './packed-columns.js';

const RECORD = 'c.*, t.id AS thread_id, r.trace_id, r.parent_trace_id';
const RUN = 'SELECT * FROM run';
const OF_RUN = 'r.thread_pk = c.thread_pk AND r.run_no = c.run_no';

/** As `ListTextsRepository.columns` names them. */
interface ListColumns {
  history_text: string | Buffer | null;
  history_meta_text: string | Buffer | null;
}

@Injectable()
export class LatestRepository {
  private readonly withListsSql: string;

  constructor(
    private readonly database: Database,
    texts: ListTextsRepository,
  ) {
    this.withListsSql = `SELECT ${checkpointColumns(database.dialect)}, ${texts.columns()}
      FROM thread t CROSS JOIN checkpoint c CROSS JOIN run r WHERE t.id = $1 AND c.seq = t.latest_seq AND ${CHECKPOINT_MATCH}`;
  }

  /** The thread's number and the number of its last change; null if there is no such thread. */
  async version(threadId: string): Promise<{ pk: number; last_seq: number } | null> {
    if (isNoId(threadId)) return null;
    const rows = await this.database.read<{ pk: number; last_seq: number }>(
      `SELECT pk, last_seq FROM thread WHERE id = $1`,
      [threadId],
    );
    return rows[0] ?? null;
  }

  async agentsOf(threadId: string): Promise<ThreadAgent[]> {
    if (isNoId(threadId)) return [];
    return this.database.read<ThreadAgent>(
      `SELECT a.* FROM thread t JOIN thread_agent a ON a.thread_pk = t.pk WHERE t.id = $1`,
      [threadId],
    );
  }

  async runByNumber(threadPk: number, runNo: number): Promise<Run | null> {
    const rows = await this.database.read<Run>(`${RUN} WHERE thread_pk = $1 AND run_no = $2`, [threadPk, runNo]);
    return rows[0] ?? null;
  }

  /** Oldest first. */
  async runsOfTrace(threadPk: number, traceId: string): Promise<Run[]> {
    if (isNoId(traceId)) return [];
    const where = 'WHERE thread_pk = $1 AND trace_id = $2 ORDER BY run_no';
    return this.database.read<Run>(`${RUN} ${where}`, [threadPk, traceId]);
  }

  async runsOfAgent(threadPk: number, agentId: string): Promise<Run[]> {
    if (isNoId(agentId)) return [];
    const where = 'WHERE thread_pk = $1 AND agent_id = $2 ORDER BY run_no';
    return this.database.read<Run>(`${RUN} ${where}`, [threadPk, agentId]);
  }

  latestOfRun(threadPk: number, runNo: number, agentId: string | null): Promise<CheckpointRecord | null> {
    if (isNoId(agentId)) return Promise.resolve(null);
    const ofAgent = agentId === null ? '' : 'AND c.agent_id = $3';
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN checkpoint c ON c.thread_pk = t.pk JOIN run r ON ${OF_RUN}
       WHERE t.pk = $1 AND c.run_no = $2 AND c.is_current ${ofAgent} ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1`,
      agentId === null ? [threadPk, runNo] : [threadPk, runNo, agentId],
    );
  }

  async find(threadId: string, { traceId, agentId }: LatestFilter): Promise<CheckpointRecord | null> {
    if ([threadId, traceId, agentId].some(isNoId)) return null;
    if (traceId !== null) return this.latestOfTrace(threadId, traceId, agentId);
    if (agentId !== null) return this.latestOfAgent(threadId, agentId);
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN checkpoint c ON c.thread_pk = t.pk AND c.seq = t.latest_seq JOIN run r ON ${OF_RUN}
       WHERE t.id = $1`,
      [threadId],
    );
  }

  /**
   * The thread's latest checkpoint with its lists, in one query. Null if there is none, or if it needs more queries: a row with long texts,
   * or lists in several pieces.
   */
  async findWithLists(threadId: string): Promise<{ record: CheckpointRecord; lists: ListTexts } | null> {
    if (isNoId(threadId)) return null;
    const [row] = await this.database.read<PackedCheckpoint & ListColumns>(this.withListsSql, [threadId]);
    if (!row) return null;
    const { history_text: history, history_meta_text: historyMeta } = row;
    const record = unpackCheckpoint(row);
    if (isLong(record) || history === null || historyMeta === null) return null;
    return { record, lists: { history, historyMeta } };
  }

  /** The last checkpoint of the same run with a history; without one, the row with the lists that the run's start carried forward. */
  async lastWithHistory(record: CheckpointRecord): Promise<CheckpointRecord | null> {
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN checkpoint c ON c.thread_pk = t.pk JOIN run r ON ${OF_RUN}
       WHERE t.pk = $1 AND c.run_no = $2 AND (c.is_current OR c.is_initial) AND c.history <> ''
       ORDER BY c.is_initial, c.attempt DESC, c.step_index DESC LIMIT 1`,
      [record.thread_pk, record.run_no],
    );
  }

  /** If tokens of several agents use one trace, this prefers the unbound token's run, otherwise the first run. */
  private latestOfTrace(threadId: string, traceId: string, agentId: string | null): Promise<CheckpointRecord | null> {
    const ofAgent = agentId === null ? '' : 'AND c.agent_id = $3';
    const agentFirst = agentId === null ? '' : 'CASE WHEN m.agent_id = $3 THEN 0 ELSE 1 END,';
    return this.first(
      `SELECT ${RECORD} FROM thread t JOIN run r ON r.thread_pk = t.pk JOIN checkpoint c ON ${OF_RUN}
       WHERE t.id = $1 AND r.run_no = (
         SELECT m.run_no FROM run m WHERE m.thread_pk = t.pk AND m.trace_id = $2
         ORDER BY ${agentFirst} CASE WHEN m.began_by IS NULL THEN 0 ELSE 1 END, m.run_no LIMIT 1)
       AND c.is_current ${ofAgent} ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1`,
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

/** No id holds U+0000, and PostgreSQL rejects it as a value. */
function isNoId(value: string | null): boolean {
  return value?.includes('\0') === true;
}
