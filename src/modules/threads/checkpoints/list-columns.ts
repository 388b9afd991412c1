import { isContinuedSql, wholeListSql } from '../message-log/continued-lists.js';

/** SQL for the lists of the checkpoint `alias`, all ranges of them. */
export function wholeLists(alias: string) {
  return { history: wholeListSql('history', alias), history_meta: wholeListSql('history_meta', alias) };
}

/** The same for pages: a list that goes on from another row is long, and others are there as they are. */
export function listsOfPages(alias: string) {
  return {
    columns: { history: `${alias}.history`, history_meta: `${alias}.history_meta` },
    isLong: isContinuedSql(alias),
  };
}
