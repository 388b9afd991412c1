import type { SqlReader } from '../../../../database/database.js';
import { continuedListRowsSql, type ContinuedListRow, type ListName } from '../../message-log/continued-lists.js';

/** Longest accepted chain of continued rows: every read walks it all. The journal's own chains are far shorter. */
const MAX_CHAIN = 4_096;
const PAGE = 200;

/** Describes the first broken continued list of an imported thread; null if there is none. */
export async function continuedListFault(reader: SqlReader, threadPk: number): Promise<string | null> {
  for (const list of ['history', 'history_meta'] as const) {
    const depths = new Map<number, number>();
    for await (const row of continuedRows(reader, threadPk, list)) {
      const fault = faultOf(row, depths);
      if (fault === null) continue;
      return `The ${list} of the checkpoint ${row.seq} continues ${fault}: ${list}_from, ${list}_from_length.`;
    }
  }
  return null;
}

/** In ascending order, so the row that another one continues is always checked first. */
async function* continuedRows(reader: SqlReader, threadPk: number, list: ListName): AsyncGenerator<ContinuedListRow> {
  let after = 0;
  for (;;) {
    const rows = await reader.query<ContinuedListRow>(continuedListRowsSql(list), [threadPk, after, PAGE]);
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.seq;
  }
}

function faultOf({ seq, before, has_beginning }: ContinuedListRow, depths: Map<number, number>): string | null {
  if (before === null || !has_beginning) return 'a row that does not exist';
  const depth = (depths.get(before) ?? 0) + 1;
  depths.set(seq, depth);
  return depth > MAX_CHAIN ? `more than ${MAX_CHAIN} other rows` : null;
}
