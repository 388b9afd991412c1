import type { Database } from './database.js';

/**
 * Selects the distinct values of an index's first column as `value`, with one seek each, however many rows there are.
 * @param limit most values
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
