import { ExactNumber } from '../../../src/common/exact-number.js';

/** One line of a value shown as a tree. */
export interface JsonRow {
  /** 0 for the value itself. */
  depth: number;
  /** Name or index within the object or list above; null for the value itself. */
  key: string | number | null;
  value: unknown;
  /** Members of an object or list; null for anything else. */
  size: number | null;
  isOpen: boolean;
}

/** Rows that are open at first. */
const OPEN_AT_FIRST = 300;
/** Most rows that {@link openAll} opens. */
const MAX_OPEN = 200_000;
/** Levels opened at once; people open deeper ones by hand. */
const MAX_LEVELS = 200;

/** The rows of a value, with its upper levels open as far as they fit on a few pages. */
export function firstRows(value: unknown): JsonRow[] {
  return openLevels([rowOf(0, null, value)], OPEN_AT_FIRST);
}

/** All rows, up to {@link MAX_OPEN}. */
export function openAll(rows: readonly JsonRow[]): JsonRow[] {
  return openLevels([{ ...rows[0]!, isOpen: false }], MAX_OPEN);
}

export function foldAll(rows: readonly JsonRow[]): JsonRow[] {
  return toggleRow([{ ...rows[0]!, isOpen: false }], 0);
}

/** Opens or closes the row at the index. */
export function toggleRow(rows: readonly JsonRow[], index: number): JsonRow[] {
  const row = rows[index]!;
  if (row.size === null) return [...rows];
  const before = rows.slice(0, index);
  const toggled = { ...row, isOpen: !row.isOpen };
  if (row.isOpen) return [...before, toggled, ...rows.slice(endOf(rows, index))];
  return before.concat(toggled, membersOf(row), rows.slice(index + 1));
}

/** The row that contains the row at the index; -1 for the value itself. */
export function parentOf(rows: readonly JsonRow[], index: number): number {
  const depth = rows[index]!.depth - 1;
  for (let at = index - 1; at >= 0; at -= 1) if (rows[at]!.depth === depth) return at;
  return -1;
}

/** The path of a row, e.g. `items[3].price`. */
export function pathOf(rows: readonly JsonRow[], index: number): string {
  const keys: (string | number)[] = [];
  for (let at = index; at > 0; at = parentOf(rows, at)) keys.unshift(rows[at]!.key!);
  return keys
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${at === 0 ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
    })
    .join('');
}

/** Opens level by level, so that a long list does not crowd out what follows it. */
function openLevels(rows: JsonRow[], limit: number): JsonRow[] {
  let all = rows;
  for (let depth = 0; depth < MAX_LEVELS; depth += 1) {
    const next = openLevel(all, depth, limit);
    if (next.length === all.length) return all;
    all = next;
  }
  return all;
}

/** Opens the rows at a depth, up to the limit of all rows. */
function openLevel(rows: readonly JsonRow[], depth: number, limit: number): JsonRow[] {
  const next: JsonRow[] = [];
  let count = rows.length;
  for (const row of rows) {
    const size = row.depth === depth && !row.isOpen ? (row.size ?? 0) : 0;
    // The value itself is always opened: closed, it would show nothing.
    if (size > 0 && (count + size <= limit || depth === 0)) {
      next.push({ ...row, isOpen: true });
      for (const member of membersOf(row)) next.push(member);
      count += size;
    } else next.push(row);
  }
  return next;
}

function membersOf({ depth, value }: JsonRow): JsonRow[] {
  if (Array.isArray(value)) return value.map((member, index) => rowOf(depth + 1, index, member));
  return Object.entries(value as object).map(([key, member]) => rowOf(depth + 1, key, member));
}

function rowOf(depth: number, key: string | number | null, value: unknown): JsonRow {
  const isHolder = typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
  const size = isHolder ? (Array.isArray(value) ? value.length : Object.keys(value).length) : null;
  return { depth, key, value, size, isOpen: false };
}

/** The index after the rows within the row. */
function endOf(rows: readonly JsonRow[], index: number): number {
  const { depth } = rows[index]!;
  let end = index + 1;
  while (end < rows.length && rows[end]!.depth > depth) end += 1;
  return end;
}
