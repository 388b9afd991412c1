import { invalidField } from './domain-error.js';

/** Items of one page unless the caller says otherwise. */
export const DEFAULT_PAGE_LIMIT = 50;
/** Items of one page at most. */
export const MAX_PAGE_LIMIT = 200;

/** One page of a list, as every list of the API answers it. */
export interface Page<Item> {
  items: Item[];
  /** Where the next page begins; null on the last. */
  next_cursor: string | null;
}

/** The sort key of the last item of a page: what the next page begins after. */
export type CursorKey = readonly (string | number)[];

/** What each part of a cursor must be, as the columns are that it is compared with: PostgreSQL refuses values that do not fit. */
export type CursorShape = readonly ('text' | 'integer' | 'bigint' | 'double')[];

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * A cursor that callers hand back as they got it. `scope` names the list and its order, so that a cursor of one
 * list or order is refused by another.
 */
export function encodeCursor(scope: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([scope, ...key])).toString('base64url');
}

/**
 * The key within a cursor.
 * @param parameter by which it came
 * @throws DomainError `invalid` that names the parameter when it was not made by `encodeCursor` for this scope and shape.
 */
export function decodeCursor(
  scope: string,
  cursor: string,
  shape: CursorShape,
  parameter = 'cursor',
): (string | number)[] {
  const [givenScope, ...key] = parseCursor(cursor) ?? [];
  if (givenScope !== scope || key.length !== shape.length || !key.every((part, at) => fits(part, shape[at]))) {
    throw invalidField(
      parameter,
      `must be a ${parameter.replace('cursor', 'next_cursor')} of the same list with the same order`,
    );
  }
  return key as (string | number)[];
}

/**
 * Cuts `rows`, read with one more than `limit`, to one page.
 * `keyOf` answers the sort key of an item.
 */
export function toPage<Item>(
  rows: readonly Item[],
  limit: number,
  scope: string,
  keyOf: (item: Item) => CursorKey,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, next_cursor: hasMore ? encodeCursor(scope, keyOf(last)) : null };
}

function parseCursor(cursor: string): unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null; // not JSON: answered like any other cursor that is not ours
  }
}

function fits(part: unknown, kind: CursorShape[number] | undefined): boolean {
  switch (kind) {
    case 'text':
      return typeof part === 'string' && !part.includes('\0');
    case 'integer':
      return Number.isInteger(part) && Math.abs(part as number) <= MAX_INTEGER;
    case 'bigint':
      return Number.isSafeInteger(part);
    default:
      return kind === 'double' && Number.isFinite(part);
  }
}
