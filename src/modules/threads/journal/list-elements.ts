import { TextList } from '../../../common/text-list.js';
import type { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { formatRanges, type Range } from '../message-log/ranges.js';
import { elementsAt } from './stored-lists.js';
import type { StoredRows } from './stored-rows.js';

/** The elements at these places of a log, also those that the transaction adds; none while they are missing. */
export function listAt(
  stored: StoredRows,
  list: typeof HISTORY | typeof HISTORY_META,
  ranges: readonly Range[],
): TextList {
  const load = async () => TextList.join(await elementsAt(stored, list, ranges));
  return stored.ask(`list ${list} ${formatRanges(ranges)}`, load, TextList.EMPTY, true);
}
