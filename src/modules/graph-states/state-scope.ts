import { speaksForSql } from '../../database/bound-agents.sql.js';
import type { Dialect, SqlValue } from '../../database/database.js';

/** Whose rows are meant. */
export interface StateScope {
  threadPk: number;
  /** Null for all agents. */
  agent: string | null;
  /** Those that the caller may speak for; null for all. */
  agents: readonly string[] | null;
}

/** Rows, and about how many bytes of them, that go in one transaction: others wait for it, some milliseconds. */
export const PIECE = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** Conditions for a row `x`, with the parameters from the first on. */
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
