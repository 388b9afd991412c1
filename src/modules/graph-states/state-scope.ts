import { speaksForSql } from '../../database/bound-agents.sql.js';
import type { Dialect, SqlValue } from '../../database/database.js';

export interface StateScope {
  threadPk: number;
  /** Null for all agents. */
  agent: string | null;
  /** Those that the caller may speak for; null for all. */
  agents: readonly string[] | null;
}

/** Rows, and approximate bytes, per transaction: others wait some milliseconds for it. */
export const PIECE = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** Conditions for a row `x`, with parameters from `$1` on. */
export function inScope(
  { threadPk, agent, agents }: StateScope,
  dialect: Dialect,
): { conditions: string[]; params: SqlValue[] } {
  const params: SqlValue[] = [threadPk];
  const conditions = ['x.thread_pk = $1'];
  if (agent !== null) conditions.push(`x.agent = $${params.push(agent)}`);
  if (agents !== null) conditions.push(speaksForSql('x.agent', agents, dialect));
  return { conditions, params };
}
