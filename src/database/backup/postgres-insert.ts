import type { BackupRow } from './backup-lines.js';
import { quoted, type ColumnType } from './postgres-texts.js';

/** Where rows of texts go. */
export interface TextTarget {
  table: string;
  columns: readonly ColumnType[];
}

/** What statements can be sent to: of TypeORM as well as of the driver. */
export interface TextSink {
  query(sql: string, params: unknown[]): Promise<unknown>;
}

/** Inserts rows that are given as texts, in one statement: one array a column, whatever the number of rows. */
export async function insertTexts(
  sink: TextSink,
  { table, columns }: TextTarget,
  rows: readonly BackupRow[],
): Promise<void> {
  const names = columns.map(({ name }) => quoted(name));
  const values = columns.map(({ type }, at) => `c${at}::${type}`);
  const arrays = columns.map((_, at) => `$${at + 1}::text[]`);
  const aliases = columns.map((_, at) => `c${at}`);
  await sink.query(
    `INSERT INTO ${quoted(table)} (${names.join(', ')})
     SELECT ${values.join(', ')} FROM unnest(${arrays.join(', ')}) AS given(${aliases.join(', ')})`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}
