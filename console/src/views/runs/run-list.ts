import type { RunRow } from './run-row.js';
import type { Sort } from './runs-search.js';

export interface RunOrder {
  sort: Sort;
  isAscending: boolean;
}

/** A page of the list as the server returned it. The ids stay; the rows of a page far from the reader are dropped and fetched again. */
interface Page {
  /** The cursor of the page; null for the first. */
  cursor: string | null;
  ids: string[];
}

/** Why a thread no longer belongs to the list. */
export type Gone = 'left' | 'deleted';

/**
 * Rows that changed within this time, in ms, keep their places; otherwise threads that work at the same time would swap places with every
 * step.
 */
const STEADY_MS = 15_000;
/** Rows of the first page after which the list is reloaded: in a tab that stays open for days, it grows. */
const MAX_FIRST = 600;
/** Pages that keep their rows before and after the visible ones. */
const KEPT_PAGES = 2;
/** New threads kept until they are shown; with more, the list is reloaded. */
const MAX_NEW = 1_000;

/**
 * The list of threads as a reader sees it: pages from the server in the order of arrival, plus the stream's changes.
 * A change appears at once in its thread's row, but places change only in {@link settle}, so nothing moves under a pointer.
 */
export class RunList {
  private readonly rows = new Map<string, RunRow>();
  private readonly gone = new Map<string, Gone>();
  /** Threads whose rows are out of place or not in the list yet. */
  private readonly moved = new Set<string>();
  /** Threads added by the last settling; they light up for a moment. */
  private arrived: ReadonlySet<string> = new Set();
  private pages: Page[] = [];
  private places: string[] = [];
  private listed = new Set<string>();
  /** New threads whose rows were not kept. */
  private uncounted = 0;
  private nextCursor: string | null = null;
  private readonly listeners = new Set<() => void>();
  private version = 0;

  constructor(private readonly order: RunOrder) {}

  /** Changes whenever something visible changes. */
  readonly getVersion = (): number => this.version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The ids in display order. */
  get ids(): readonly string[] {
    return this.places;
  }

  get isLoaded(): boolean {
    return this.pages.length > 0;
  }

  /** The cursor of the next page; null at the end. */
  get next(): string | null {
    return this.nextCursor;
  }

  /** How many threads wait to be shown. */
  get newCount(): number {
    let count = this.uncounted;
    for (const id of this.moved) if (!this.listed.has(id)) count += 1;
    return count;
  }

  /** Whether {@link settle} would change anything. */
  get isUnsettled(): boolean {
    return this.moved.size > 0 || this.gone.size > 0 || this.isOvergrown;
  }

  /** Whether the list has grown so much that it should be reloaded. */
  get isOvergrown(): boolean {
    return this.uncounted > 0 || (this.pages[0]?.ids.length ?? 0) > MAX_FIRST;
  }

  row(id: string): RunRow | undefined {
    return this.rows.get(id);
  }

  /** The rows in memory. */
  get known(): Iterable<RunRow> {
    return this.rows.values();
  }

  goneReason(id: string): Gone | undefined {
    return this.gone.get(id);
  }

  hasArrived(id: string): boolean {
    return this.arrived.has(id);
  }

  /** Replaces everything with the first page. */
  begin(rows: readonly RunRow[], next: string | null): void {
    const known = this.listed;
    this.uncounted = 0;
    this.arrived = new Set(known.size > 0 ? rows.filter(({ id }) => !known.has(id)).map(({ id }) => id) : []);
    this.rows.clear();
    this.gone.clear();
    this.moved.clear();
    this.pages = [{ cursor: null, ids: [] }];
    this.fill(this.pages[0]!, rows);
    this.nextCursor = next;
    this.rearranged();
  }

  /** Adds the page of this cursor, unless it was added meanwhile. */
  append(cursor: string, rows: readonly RunRow[], next: string | null): void {
    if (cursor !== this.nextCursor) return;
    const page: Page = { cursor, ids: [] };
    const has = this.listed;
    this.pages.push(page);
    this.fill(
      page,
      rows.filter(({ id }) => !has.has(id)),
    );
    this.nextCursor = next;
    this.rearranged();
  }

  /** Restores dropped rows of a page. Changes that arrived meanwhile are newer than the response. */
  restore(rows: readonly RunRow[]): void {
    for (const row of rows) {
      const known = this.rows.get(row.id);
      if (this.listed.has(row.id) && !(known && known.updatedAt > row.updatedAt)) this.rows.set(row.id, row);
    }
    this.changed();
  }

  /** Adds new threads and changes. */
  update(rows: readonly RunRow[]): void {
    for (const row of rows) this.updateOne(row);
    if (rows.length > 0) this.changed();
  }

  /** Removes a thread that no longer belongs to the list. */
  remove(id: string, reason: Gone): void {
    this.moved.delete(id);
    if (this.listed.has(id)) this.gone.set(id, reason);
    else this.rows.delete(id);
    this.changed();
  }

  /** Moves every row to its place and removes those that are gone. Pages whose rows were dropped must be loaded again. */
  settle(): void {
    if (!this.isUnsettled) return;
    this.cutAfterRows();
    const before = this.listed;
    const moving = [...this.moved].map((id) => this.rows.get(id)).filter((row) => row !== undefined);
    const leaves = (id: string) => this.gone.has(id) || this.moved.has(id);
    for (const page of this.pages) page.ids = page.ids.filter((id) => !leaves(id));
    for (const id of this.gone.keys()) this.rows.delete(id);
    this.gone.clear();
    this.moved.clear();
    for (const row of moving.sort((one, other) => this.compare(one, other))) this.insert(row);
    this.arrived = new Set(moving.map(({ id }) => id).filter((id) => !before.has(id)));
    this.rearranged();
  }

  /** The cursors of the pages between these places whose rows were dropped. */
  missing(from: number, to: number): (string | null)[] {
    return this.pagesBetween(from, to)
      .filter(({ ids }) => ids.some((id) => !this.rows.has(id)))
      .map(({ cursor }) => cursor);
  }

  /** Drops rows of pages far from these places, except those of the first page. */
  keepAround(from: number, to: number): void {
    const seen = this.pagesBetween(from, to).map((page) => this.pages.indexOf(page));
    const [first = 0, last = 0] = [seen[0], seen.at(-1)];
    this.pages.forEach((page, index) => {
      if (index === 0 || (index >= first - KEPT_PAGES && index <= last + KEPT_PAGES)) return;
      for (const id of page.ids) if (!this.moved.has(id)) this.rows.delete(id);
    });
  }

  /** The number of rows in memory. */
  get rowCount(): number {
    return this.rows.size;
  }

  private updateOne(row: RunRow): void {
    const known = this.rows.get(row.id);
    if (known && known.updatedAt > row.updatedAt) return;
    if (this.listed.has(row.id)) {
      this.gone.delete(row.id);
      this.rows.set(row.id, row);
      if (this.isMisplaced(row)) this.moved.add(row.id);
    } else if (this.moved.has(row.id) || this.moved.size < MAX_NEW) {
      if (this.isBehindRows(row)) return;
      this.rows.set(row.id, row);
      this.moved.add(row.id);
    } else {
      this.uncounted += 1;
    }
  }

  private pagesBetween(from: number, to: number): Page[] {
    let start = 0;
    return this.pages.filter(({ ids }) => {
      const begin = start;
      start += ids.length;
      return begin <= to && start > from;
    });
  }

  private fill(page: Page, rows: readonly RunRow[]): void {
    page.ids = rows.map(({ id }) => id);
    for (const row of rows) {
      const known = this.rows.get(row.id);
      if (!known || known.updatedAt <= row.updatedAt) this.rows.set(row.id, row);
      this.moved.delete(row.id);
    }
  }

  /** Only rows tell where others belong, so the list is cut after the last row; the server has the rest. */
  private cutAfterRows(): void {
    const end = this.pages.findIndex(({ ids }, index) => index > 0 && ids.some((id) => !this.rows.has(id)));
    if (end === -1) return;
    const cut = this.pages.splice(end);
    this.nextCursor = cut[0]!.cursor;
    for (const { ids } of cut) for (const id of ids) if (!this.moved.has(id)) this.rows.delete(id);
  }

  private insert(row: RunRow): void {
    for (const page of this.pages) {
      const at = page.ids.findIndex((id) => this.compare(row, this.rows.get(id)!) < 0);
      if (at === -1) continue;
      page.ids.splice(at, 0, row.id);
      return;
    }
    // After everything loaded: at the end of the list it is shown, otherwise the server will return it in its place.
    if (this.nextCursor === null) this.pages.at(-1)?.ids.push(row.id);
    else this.rows.delete(row.id);
  }

  /** Whether a new row belongs after everything loaded, where the server will return it. */
  private isBehindRows(row: RunRow): boolean {
    const end = this.pages.findIndex(({ ids }) => ids.some((id) => !this.rows.has(id)));
    if (end === -1 && this.nextCursor === null) return false;
    const last = (end === -1 ? this.pages : this.pages.slice(0, end)).at(-1)?.ids.at(-1);
    return last !== undefined && this.compare(row, this.rows.get(last)!) > 0;
  }

  private compare(one: RunRow, other: RunRow): number {
    const difference = placeOf(one, this.order.sort) - placeOf(other, this.order.sort);
    return this.order.isAscending ? difference : -difference;
  }

  /** Whether a changed row is clearly out of place. */
  private isMisplaced(row: RunRow): boolean {
    const at = this.places.indexOf(row.id);
    const before = this.rows.get(this.places[at - 1] ?? '');
    const after = this.rows.get(this.places[at + 1] ?? '');
    const { sort, isAscending } = this.order;
    if (sort === 'started_at') return false;
    if (sort !== 'updated_at')
      return (before && this.compare(row, before) < 0) || (after && this.compare(row, after) > 0) || false;
    if (isAscending) return after !== undefined;
    return this.places.slice(0, at).some((id) => {
      const above = this.rows.get(id);
      return !above || placeOf(row, sort) - placeOf(above, sort) > STEADY_MS;
    });
  }

  private rearranged(): void {
    this.places = this.pages.flatMap((page) => page.ids);
    this.listed = new Set(this.places);
    this.changed();
  }

  private changed(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}

function placeOf(row: RunRow, sort: Sort): number {
  if (sort === 'total_tokens') return row.tokens;
  if (sort === 'total_cost_usd') return row.costUsd;
  return Date.parse(sort === 'started_at' ? row.startedAt : row.updatedAt);
}
