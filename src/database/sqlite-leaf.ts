import { SQLITE_PAGE_BYTES } from './sqlite-file.js';

/** Bytes for rows on a page of a table, of which each row takes `rowBytes`: https://www.sqlite.org/fileformat2.html#b_tree_pages */
export const LEAF_BYTES = SQLITE_PAGE_BYTES - 8;

/** Bytes that a row has on its page at most; what is more of a longer one stands on pages of its own. */
const MAX_ON_PAGE = SQLITE_PAGE_BYTES - 35;
const MIN_ON_PAGE = Math.floor(((SQLITE_PAGE_BYTES - 12) * 32) / 255) - 23;
const BYTES_ELSEWHERE = SQLITE_PAGE_BYTES - 4;
/** Of the number of the next page, and of the row's own number with most files. */
const NUMBER_BYTES = 4;
/** Of the row's place on its page. */
const POINTER_BYTES = 2;

/** A value of a row: a number that is whole and not negative, or a text by its bytes of UTF-8; null takes none. */
export type LeafValue = number | { textBytes: number } | null;

/** Bytes that a row of a table takes from its page. */
export function rowBytes(values: readonly LeafValue[]): number {
  let header = 1;
  let body = 0;
  for (const value of values) {
    const isText = typeof value === 'object' && value !== null;
    header += isText ? varintBytes(2 * value.textBytes + 13) : 1;
    body += isText ? value.textBytes : value === null ? 0 : integerBytes(value);
  }
  return cellBytes(header + body);
}

function cellBytes(payload: number): number {
  const around = varintBytes(payload) + NUMBER_BYTES + POINTER_BYTES;
  if (payload <= MAX_ON_PAGE) return around + payload;
  const rest = MIN_ON_PAGE + ((payload - MIN_ON_PAGE) % BYTES_ELSEWHERE);
  return around + NUMBER_BYTES + (rest <= MAX_ON_PAGE ? rest : MIN_ON_PAGE);
}

/** Zero and one are a matter of the header alone. */
function integerBytes(value: number): number {
  if (value <= 1) return 0;
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 15) return 2;
  if (value < 2 ** 23) return 3;
  return value < 2 ** 31 ? 4 : value < 2 ** 47 ? 6 : 8;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value; left >= 128; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
}
