import { invalidField } from './domain-error.js';

/** Default number of items on a page. */
export const DEFAULT_PAGE_LIMIT = 50;
/** Maximum number of items on a page. */
export const MAX_PAGE_LIMIT = 200;

/** One page of any list of the API. */
export interface Page<Item> {
  items: Item[];
  /** The start of the next page; null on the last. */
  next_cursor: string | null;
}

/** The sort key of the last item on a page. The next page begins after it. */
export type CursorKey = readonly (string | number)[];

/** The types of a cursor's parts, which match the compared columns: PostgreSQL refuses values that do not fit. */
export type CursorShape = readonly ('text' | 'integer' | 'bigint' | 'double')[];

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * A cursor that callers send back unchanged. `scope` names the list and its order, so that no list accepts another list's or order's
 * cursor.
 */
export function encodeCursor(scope: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([scope, ...key])).toString('base64url');
}

/**
 * The key within a cursor.
 * @param parameter the query parameter, for the error
 * @throws DomainError `invalid` that names the parameter unless `encodeCursor` made it for this scope and shape
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
 * `keyOf` returns the sort key of an item.
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
    return null; // not JSON: treated like any other foreign cursor
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
