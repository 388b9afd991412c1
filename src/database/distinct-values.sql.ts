import type { Database } from './database.js';

/**
 * Statement for the distinct values of the first column of an index, as `value`: one seek for each, however many rows have it.
 * @param limit the most that it returns
 */
export function distinctValuesSql(
  dialect: Database['dialect'],
  { table, column, index }: { table: string; column: string; index: string },
  limit: number,
): string {
  const by = dialect === 'sqlite' ? ` INDEXED BY ${index}` : '';
  return `WITH RECURSIVE known(value) AS (
      SELECT MIN(${column}) FROM ${table}${by}
      UNION ALL
      SELECT (SELECT MIN(n.${column}) FROM ${table} n${by} WHERE n.${column} > known.value) FROM known WHERE known.value IS NOT NULL
    ) SELECT value FROM known WHERE value IS NOT NULL LIMIT ${limit}`;
}
