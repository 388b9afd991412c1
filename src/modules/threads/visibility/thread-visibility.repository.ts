import { Injectable } from '@nestjs/common';
import { speaksForSql } from '../../../database/bound-agents.sql.js';
import { Database } from '../../../database/database.js';
import { distinctValuesSql } from '../../../database/distinct-values.sql.js';

/** Agents searched for those of a token; with more, lists are read in their own order. */
const MAX_AGENTS = 1000;

/** The tables whose rows show that an agent took part in a thread, each with the agent's column. */
const TRACES_OF_AGENTS = [
  ['thread_agent', 'agent_id'],
  ['effect', 'agent_id'],
  ['run_lease', 'agent_id'],
  ['state_checkpoint', 'agent'],
  ['state_value', 'agent'],
  ['state_write', 'agent'],
] as const;

@Injectable()
export class ThreadVisibilityRepository {
  constructor(private readonly database: Database) {}

  /** Whether the thread has runs, and only these agents took part in it. */
  async isVisible(threadId: string, agentIds: readonly string[]): Promise<boolean> {
    if (threadId.includes('\0')) return false;
    const sql = `SELECT 1 AS found FROM thread t WHERE t.id = $1 AND t.run_count > 0 AND ${this.conditionOf('t.pk', agentIds)}`;
    return (await this.database.read(sql, [threadId])).length > 0;
  }

  /** All agents that took part in any thread, one index seek each; null if too many. */
  async findAgents(): Promise<string[] | null> {
    const source = { table: 'thread_agent', column: 'agent_id', index: 'thread_agent_by_agent' };
    const sql = distinctValuesSql(this.database.dialect, source, MAX_AGENTS + 1);
    const rows = await this.database.read<{ value: string }>(sql);
    return rows.length > MAX_AGENTS ? null : rows.map(({ value }) => value);
  }

  /**
   * Condition for the number of a thread in which only these agents had a run, reported a step, claimed an effect or a lease, or keep a graph
   * state. A lease without an agent shows nobody.
   */
  conditionOf(threadPk: string, agentIds: readonly string[]): string {
    const none = ([table, column]: readonly [string, string]) => {
      const isOthers = `NOT ${speaksForSql(`v.${column}`, agentIds, this.database.dialect)}`;
      return `NOT EXISTS (SELECT 1 FROM ${table} v WHERE v.thread_pk = ${threadPk} AND ${isOthers})`;
    };
    return TRACES_OF_AGENTS.map(none).join(' AND ');
  }
}
