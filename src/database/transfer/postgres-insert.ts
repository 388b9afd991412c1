import { quoted, type ColumnType, type TextRow } from './postgres-texts.js';

/** Target for rows of texts. */
export interface TextTarget {
  table: string;
  columns: readonly ColumnType[];
}

/** Anything that runs statements: TypeORM's or the driver's. */
export interface TextSink {
  query(sql: string, params: unknown[]): Promise<unknown>;
}

/** Inserts rows of texts in one statement: one array per column, for any number of rows. */
export async function insertTexts(
  sink: TextSink,
  { table, columns }: TextTarget,
  rows: readonly TextRow[],
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
