import { isContinuedSql, wholeListSql, type ListName } from '../message-log/continued-lists.js';
import { threadNotFound } from '../threads.contract.js';

/** SQL for all ranges of the lists of the checkpoint `alias`. */
export function deltas(alias: string) {
  return { history: wholeListSql('history', alias), history_meta: wholeListSql('history_meta', alias) };
}

/** For pages: a continued list makes its row long; other lists are read as stored. */
export function listsOfPages(alias: string) {
  return {
    columns: { history: `${alias}.history`, history_meta: `${alias}.history_meta` },
    isLong: isContinuedSql(alias),
  };
}

/**
 * The row, read with its whole lists. A deleted thread's rows are removed one by one, so a row may outlive those that its lists continue.
 * @throws DomainError `not_found` if the row or a part of a list is gone
 */
export function rowWithLists<Row extends Readonly<Record<ListName, string>>>(row: Row | undefined): Row {
  const lists: Readonly<Record<ListName, string | null>> | undefined = row;
  if (!row || lists?.history === null || lists?.history_meta === null) throw threadNotFound();
  return row;
}

/**
 * The result of a search for a list; the empty text for none.
 * @throws DomainError `not_found` as above
 */
export function rangesFound([found]: readonly { ranges: string | null }[]): string {
  if (found?.ranges === null) throw threadNotFound();
  return found?.ranges ?? '';
}
