import { Injectable } from '@nestjs/common';
import type { IdRange } from '../../../common/id-range.js';
import { speaksForSql } from '../../../database/bound-agents.sql.js';
import { POSTGRES_NOW } from '../../../database/database-clock.js';
import { Database, type SqlReader, type SqlValue } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import type { KindredRun } from '../bindings/run-kinship.js';
import { ERROR_OF_RUN, LISTED_RUN_COLUMNS, type ListedRun } from '../detail/listed-run.js';
import { threadNotFound } from '../threads.contract.js';
import type { Thread } from '../entities/thread.entity.js';
import { REPORT_COLUMNS, type LongReport, type ReportRow } from '../checkpoints/report-row.js';
import { ThreadVisibilityService } from '../visibility/thread-visibility.service.js';

export type ListedAgentThread = Pick<Thread, 'id' | 'status' | 'agents' | 'run_count' | 'started_at' | 'updated_at'>;

export type AgentRun = ListedRun & KindredRun;

const OWN_RUN = `SELECT ${LISTED_RUN_COLUMNS}, began_by, parent_by FROM run`;

/** Up to this many threads of the agents are read and sorted; otherwise the list is read in id order. */
const FEW = 2000;

type ReportPlace = Pick<ReportRow, 'run_no' | 'attempt' | 'step_index'>;

@Injectable()
export class AgentThreadsRepository {
  constructor(
    private readonly database: Database,
    private readonly visibility: ThreadVisibilityService,
  ) {}

  /**
   * Sorted by id.
   * @param after the last id of the previous page
   * @param agentIds the only agents that may have taken part; null for any
   */
  async page(
    range: IdRange,
    after: string | null,
    limit: number,
    agentIds: readonly string[] | null,
  ): Promise<ListedAgentThread[]> {
    const few = agentIds && (await this.fewOf(agentIds));
    if (few?.length === 0) return [];
    const index = this.database.dialect === 'sqlite' && !few ? ' INDEXED BY thread_by_id' : '';
    // SQLite joins in this order: the agents' threads come first.
    const of = few
      ? `(SELECT DISTINCT thread_pk FROM thread_agent WHERE agent_id IN ${sqlTuple(few, this.database.dialect)}) a CROSS JOIN `
      : '';
    const params: SqlValue[] = [range.from, after ?? ''];
    if (range.before !== null) params.push(range.before);
    return this.database.read<ListedAgentThread>(
      `SELECT t.id, t.status, t.agents, t.run_count, t.started_at, t.updated_at FROM ${of}thread t${index}
       WHERE t.id >= $1 AND t.id > $2 ${range.before === null ? '' : 'AND t.id < $3'}
       ${few ? 'AND t.pk = a.thread_pk' : ''} AND t.run_count > 0 ${agentIds ? `AND ${this.visibility.conditionOf('t.pk', agentIds)}` : ''}
       ORDER BY t.id LIMIT ${limit}`,
      params,
    );
  }

  /** Whether the thread exists and only these agents took part in it. */
  async isOwn(reader: SqlReader, threadId: string, agentIds: readonly string[] | null): Promise<boolean> {
    const condition =
      agentIds === null ? '' : `AND t.run_count > 0 AND ${this.visibility.conditionOf('t.pk', agentIds)}`;
    return (await reader.query(`SELECT 1 AS found FROM thread t WHERE t.id = $1 ${condition}`, [threadId])).length > 0;
  }

  /** Whether a process may drive a run of the thread now, by the database's clock. @param nowMs the server's time */
  async isLeased(reader: SqlReader, threadPk: number, nowMs: number): Promise<boolean> {
    const now = this.database.dialect === 'sqlite' ? String(nowMs) : POSTGRES_NOW;
    const sql = `SELECT 1 AS found FROM run_lease WHERE thread_pk = $1 AND released_at IS NULL AND expires_at > ${now} LIMIT 1`;
    return (await reader.query(sql, [threadPk])).length > 0;
  }

  /** The number of a thread in which one of these agents has its own run; null if there is none. */
  async findPk(threadId: string, agentIds: readonly string[] | null): Promise<number | null> {
    const own = (ids: readonly string[]) =>
      `AND EXISTS (SELECT 1 FROM thread_agent o WHERE o.thread_pk = t.pk AND o.own_run > 0 AND ${speaksForSql('o.agent_id', ids, this.database.dialect)})`;
    const [row] = await this.database.read<{ pk: number }>(
      `SELECT t.pk FROM thread t WHERE t.id = $1 AND t.run_count > 0 ${agentIds ? own(agentIds) : ''}`,
      [threadId],
    );
    return row?.pk ?? null;
  }

  runsAfter(threadPk: number, runNo: number, limit: number): Promise<AgentRun[]> {
    const sql = `${OWN_RUN} WHERE thread_pk = $1 AND run_no > $2 ORDER BY run_no LIMIT ${limit}`;
    return this.database.read<AgentRun>(sql, [threadPk, runNo]);
  }

  runsOfTrace(threadPk: number, traceId: string): Promise<AgentRun[]> {
    const sql = `${OWN_RUN} WHERE thread_pk = $1 AND trace_id = $2 ORDER BY run_no`;
    return this.database.read<AgentRun>(sql, [threadPk, traceId]);
  }

  /** The run with its error. @throws DomainError `not_found` if the thread has been deleted meanwhile */
  async whole(threadPk: number, run: AgentRun): Promise<AgentRun> {
    if (!run.is_long) return run;
    const [row] = await this.database.read<Pick<AgentRun, 'error'>>(ERROR_OF_RUN, [threadPk, run.run_no]);
    if (!row) throw threadNotFound();
    return { ...run, ...row };
  }

  /** Current checkpoints of these runs, by run, attempt and step. */
  async reportsOf(
    threadPk: number,
    runNos: readonly number[],
    { run_no, attempt, step_index }: ReportPlace,
    limit: number,
  ): Promise<(ReportRow | LongReport)[]> {
    const rows = await this.database.read<{ packed: string; run_cost_usd: number }>(
      `SELECT ${REPORT_COLUMNS.sql(this.database.dialect)}, run_cost_usd FROM checkpoint
       WHERE thread_pk = $1 AND run_no IN (${runNos.join(', ')}) AND (run_no, attempt, step_index) > ($2, $3, $4) AND is_current
       ORDER BY run_no, attempt, step_index LIMIT ${limit}`,
      [threadPk, run_no, attempt, step_index],
    );
    return rows.map((row) => REPORT_COLUMNS.unpack(row));
  }

  /** The agents with threads that the caller may speak for; null if they have many threads. */
  private async fewOf(agentIds: readonly string[]): Promise<string[] | null> {
    const agents = await this.visibility.agentsOf(agentIds);
    if (!agents || agents.length === 0) return agents;
    const some = `SELECT 1 FROM thread_agent WHERE agent_id IN ${sqlTuple(agents, this.database.dialect)} LIMIT ${FEW + 1}`;
    const [row] = await this.database.read<{ total: number }>(
      `SELECT COUNT(*) AS total FROM (${some}) AS some_of_them`,
    );
    return row!.total > FEW ? null : agents;
  }
}
