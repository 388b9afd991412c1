import { isContinuedSql, wholeListSql, type ListName } from '../message-log/continued-lists.js';
import { threadNotFound } from '../threads.contract.js';

/** SQL for the lists of the checkpoint `alias`, all ranges of them. */
export function deltas(alias: string) {
  return { history: wholeListSql('history', alias), history_meta: wholeListSql('history_meta', alias) };
}

/** The same for pages: a list that continues from another row is long, and others are there as they are. */
export function listsOfPages(alias: string) {
  return {
    columns: { history: `${alias}.history`, history_meta: `${alias}.history_meta` },
    isLong: isContinuedSql(alias),
  };
}

/**
 * A row that was read with its whole lists. The rows of a deleted thread go one after the other: some may be there still while those that
 * their lists continue from are gone.
 * @throws DomainError `not_found` when it is gone, or has lost a part of a list
 */
export function rowWithLists<Row extends Readonly<Record<ListName, string>>>(row: Row | undefined): Row {
  const lists: Readonly<Record<ListName, string | null>> | undefined = row;
  if (!row || lists?.history === null || lists?.history_meta === null) throw threadNotFound();
  return row;
}

/**
 * The list that a search for one has found; the empty text for none.
 * @throws DomainError `not_found` as above
 */
export function rangesFound([found]: readonly { ranges: string | null }[]): string {
  if (found?.ranges === null) throw threadNotFound();
  return found?.ranges ?? '';
}
