import { subAgentPrefix } from '../common/bound-agents.js';
import type { Dialect } from './database.js';
import { sqlLiteral } from './sql-literal.js';

/** Condition on a column with agent ids: those that a token bound to these agents may speak for; see `speaksFor`. */
export function speaksForSql(column: string, agentIds: readonly string[], dialect: Dialect): string {
  const conditions = agentIds.map((name) => {
    const prefix = subAgentPrefix(name);
    // SUBSTR counts characters; LIKE would ignore case on SQLite.
    return `${column} = ${sqlLiteral(name, dialect)} OR SUBSTR(${column}, 1, ${[...prefix].length}) = ${sqlLiteral(prefix, dialect)}`;
  });
  return `(${conditions.join(' OR ')})`;
}
