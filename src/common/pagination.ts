import { invalidField } from './domain-error.js';

/** Items on a page unless the caller says otherwise. */
export const DEFAULT_PAGE_LIMIT = 50;
/** Most items on a page. */
export const MAX_PAGE_LIMIT = 200;

/** One page, as all lists of the API return it. */
export interface Page<Item> {
  items: Item[];
  /** The start of the next page; null on the last. */
  next_cursor: string | null;
}

/** The sort key of the last item on a page. The next page begins after it. */
export type CursorKey = readonly (string | number)[];

/** The type of each part of a cursor, as of the column that it is compared with: PostgreSQL refuses values that do not fit. */
export type CursorShape = readonly ('text' | 'integer' | 'bigint' | 'double')[];

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * A cursor that callers send back unchanged. `scope` names the list and its order, so that no list takes the cursor of another list
 * or order.
 */
export function encodeCursor(scope: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([scope, ...key])).toString('base64url');
}

/**
 * The key within a cursor.
 * @param parameter of the query that holds it, for the error
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
