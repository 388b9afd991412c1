import type { RunRow } from './run-row.js';
import type { Sort } from './runs-search.js';

export interface RunOrder {
  sort: Sort;
  isAscending: boolean;
}

/** A part of the list as the server answered it. The ids stay; the rows of a page far from the reader are dropped and fetched again. */
interface Page {
  /** With which the page begins; null for the first. */
  cursor: string | null;
  ids: string[];
}

/** Why a thread no longer belongs to the list. */
export type Gone = 'left' | 'deleted';

/**
 * Rows that changed within this time, in ms, keep their places: threads that all work at the same time would change places with every
 * step otherwise.
 */
const STEADY_MS = 15_000;
/** Rows of the first page after which the list begins again: a tab that stays open for days gathers them. */
const MAX_FIRST = 600;
/** Pages that keep their rows before and after what the reader sees. */
const KEPT_PAGES = 2;
/** New threads that are kept until they may show; with more, the list begins again. */
const MAX_NEW = 1_000;

/**
 * The list of threads as a reader sees it: pages from the server in the order in which they came, with the changes that the stream tells.
 * A change shows at once in the row of its thread; places change in {@link settle} only, so that nothing moves under a pointer.
 */
export class RunList {
  private readonly rows = new Map<string, RunRow>();
  private readonly gone = new Map<string, Gone>();
  /** Threads whose rows are not where they belong, or are not in the list yet. */
  private readonly moved = new Set<string>();
  /** Threads that came with the last settling; they light up for a moment. */
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

  /** Changes with everything that a reader could see. */
  readonly getVersion = (): number => this.version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The ids in the order in which they show. */
  get ids(): readonly string[] {
    return this.places;
  }

  get isLoaded(): boolean {
    return this.pages.length > 0;
  }

  /** The cursor of what follows; null at the end. */
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

  /** Whether it should be loaded from its beginning, as it has taken up too much. */
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

  /** Begins with the first page; forgets everything else. */
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

  /** Adds the page that begins at the cursor; one that came meanwhile is not added twice. */
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

  /** Puts back the rows of a page that were dropped. What changed meanwhile is newer than the answer. */
  restore(rows: readonly RunRow[]): void {
    for (const row of rows) {
      const known = this.rows.get(row.id);
      if (this.listed.has(row.id) && !(known && known.updatedAt > row.updatedAt)) this.rows.set(row.id, row);
    }
    this.changed();
  }

  /** Threads that have changed, or are new. */
  update(rows: readonly RunRow[]): void {
    for (const row of rows) this.updateOne(row);
    if (rows.length > 0) this.changed();
  }

  /** A thread that does not belong to the list any more. */
  remove(id: string, reason: Gone): void {
    this.moved.delete(id);
    if (this.listed.has(id)) this.gone.set(id, reason);
    else this.rows.delete(id);
    this.changed();
  }

  /** Puts every row where it belongs and takes out what has gone. Pages whose rows were dropped have to be loaded again. */
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

  /** Drops the rows of pages far from these places, never of the first. */
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

  /** Only rows say where others belong, so the list ends where they do; the server has the rest. */
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
    // Behind all that is loaded: at the end of the list it shows, else the server will tell of it in its place.
    if (this.nextCursor === null) this.pages.at(-1)?.ids.push(row.id);
    else this.rows.delete(row.id);
  }

  /** Whether a new row belongs behind all that is loaded, where the server will tell of it. */
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

  /** Whether a changed row stands where it does not belong, by more than a little. */
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
