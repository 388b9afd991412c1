import { api, read } from '../../api/client.js';
import { followStream, type StreamState } from '../../api/event-stream.js';
import { parseExact } from '../../api/exact-json.js';
import { Unreachable } from '../../api/problem.js';
import { isReachable, onReachableChange } from '../../api/reachable.js';
import type { ServerEvent } from '../../../../src/common/server-event-parser.js';
import { runRow, type ListedThread, type RunRow } from './run-row.js';
import { RunList } from './run-list.js';
import { listQuery, streamPath, type RunsSearch } from './runs-search.js';

const FIRST_PAGE = 50;
const PAGE = 200;
/** Events within this time, in ms, are shown together. */
const GATHER_MS = 100;
/** A list not looked at for longer than this, in ms, is loaded again. */
const FRESH_MS = 300_000;
/** When a drag of the scrollbar rests this long, in ms, rows are fetched. */
const RESTING_MS = 60;
/** Interval between checks for threads that have left the time span, in ms. */
const AGING_MS = 30_000;
/** Interval between checks for runs that fell silent, in ms: no event reports that. */
const SILENCE_MS = 60_000;

export interface FeedState {
  stream: StreamState;
  /** Why loading the first or the next page failed. */
  error: unknown;
  /** The server did not respond to a request of the list. */
  isLost: boolean;
  isLoadingMore: boolean;
}

/** Loads a list of threads and keeps it up to date while it is open. */
export class RunFeed {
  readonly list: RunList;
  private current: FeedState = { stream: 'connecting', error: null, isLost: false, isLoadingMore: false };
  private readonly listeners = new Set<() => void>();
  private query: ReturnType<typeof listQuery>;
  private lastEventId = '';
  private rowId: string | null = null;
  private closedAt = 0;
  private loading = new AbortController();
  private gathered = new Map<string, RunRow>();
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly search: RunsSearch) {
    this.list = new RunList({ sort: search.sort ?? 'updated_at', isAscending: search.order === 'asc' });
    this.query = listQuery(search, Date.now());
  }

  readonly getState = (): FeedState => this.current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The row that the keys last acted on. */
  get currentId(): string | null {
    return this.rowId;
  }

  remember(id: string | null): void {
    this.rowId = id;
  }

  /** Loads and follows until the returned function is called. A list that was open before continues where it was. */
  open(): () => void {
    this.loading = new AbortController();
    if (!this.list.isLoaded || Date.now() - this.closedAt > FRESH_MS) void this.begin();
    const leaveStream = followStream({
      path: streamPath(this.search),
      lastEventId: this.lastEventId,
      onEvent: (event) => this.take(event),
      onState: (stream) => this.streamIs(stream),
      onRefused: (error) => this.set({ error }),
    });
    const leaveReachable = onReachableChange(() => {
      if (isReachable() && (this.current.isLost || this.current.error !== null)) this.retry();
    });
    const aging = this.search.span && setInterval(() => this.dropAged(), AGING_MS);
    const listening = setInterval(() => this.look(), SILENCE_MS);
    return () => {
      clearInterval(aging);
      clearInterval(listening);
      leaveStream();
      leaveReachable();
      this.loading.abort();
      clearTimeout(this.resting);
      this.showGathered();
      this.closedAt = Date.now();
    };
  }

  /** Loads the list from the beginning. */
  async begin(): Promise<void> {
    this.query = listQuery(this.search, Date.now());
    await this.load(null, FIRST_PAGE, (rows, next) => this.list.begin(rows, next));
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const { next } = this.list;
    const { isLoadingMore, isLost, error } = this.current;
    if (next === null || isLoadingMore || isLost || error !== null) return;
    this.set({ isLoadingMore: true });
    await this.load(next, PAGE, (rows, after) => this.list.append(next, rows, after));
    this.set({ isLoadingMore: false });
  }

  /** Retries what failed. */
  retry(): void {
    this.set({ error: null, isLost: false });
    void (this.list.isLoaded ? this.more() : this.begin());
  }

  /** Sets the visible places: rows near them are fetched, rows far away dropped. */
  see(from: number, to: number): void {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.list.keepAround(from, to);
      for (const cursor of this.list.missing(from, to)) {
        void this.load(cursor, cursor === null ? FIRST_PAGE : PAGE, (rows) => this.list.restore(rows));
      }
    }, RESTING_MS);
  }

  /** Moves new and changed rows to where they belong. */
  settle(): void {
    if (this.list.isOvergrown) void this.begin();
    else this.list.settle();
  }

  private async load(
    cursor: string | null,
    limit: number,
    put: (rows: RunRow[], next: string | null) => void,
  ): Promise<void> {
    const { signal } = this.loading;
    try {
      const query = { ...this.query, limit, ...(cursor === null ? {} : { cursor }) };
      const { items, next_cursor } = await read(api.GET('/threads', { params: { query }, signal }));
      if (signal.aborted) return;
      put(items.map(runRow), next_cursor);
      this.showGathered();
      this.set({ error: null, isLost: false });
    } catch (error) {
      // The whole page reports a lost server; the list continues when it is back.
      if (!signal.aborted) this.set(error instanceof Unreachable ? { isLost: true } : { error });
    }
  }

  private streamIs(stream: StreamState): void {
    this.set({ stream });
    // Without an id the stream starts now and misses what changed since the list's response.
    if (stream === 'open' && this.lastEventId === '') {
      void this.load(null, FIRST_PAGE, (rows, next) => {
        if (this.list.isLoaded) this.list.update(rows);
        else this.list.begin(rows, next);
      });
    }
  }

  private take({ event, data, id }: ServerEvent): void {
    this.lastEventId = id;
    if (event === 'thread') {
      const row = runRow(parseExact(data) as ListedThread);
      if (!this.belongs(row)) return this.list.remove(row.id, 'left');
      this.gathered.set(row.id, row);
      this.gathering ??= setTimeout(() => this.showGathered(), GATHER_MS);
    } else if (event === 'left' || event === 'deleted') {
      this.showGathered();
      this.list.remove((JSON.parse(data) as { thread_id: string }).thread_id, event);
    }
  }

  private showGathered(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (!this.list.isLoaded) return;
    const rows = [...this.gathered.values()];
    this.gathered.clear();
    this.list.update(rows);
  }

  private look(): void {
    if (this.list.isLoaded && !document.hidden) void this.load(null, FIRST_PAGE, (rows) => this.list.update(rows));
  }

  /** No event reports that a thread has left the time span. */
  private dropAged(): void {
    for (const row of [...this.list.known])
      if (!this.belongs(row) && !this.list.goneReason(row.id)) this.list.remove(row.id, 'left');
  }

  /** The stream filters by neither times nor conditions. */
  private belongs({ updatedAt, isSilent, isInDoubt }: RunRow): boolean {
    if ((this.search.silent && !isSilent) || (this.search.doubt && !isInDoubt)) return false;
    const at = Date.parse(updatedAt);
    // The time span has moved on since.
    const { since, until } = listQuery(this.search, Date.now());
    return !(since && at < Date.parse(since)) && !(until && at > Date.parse(until));
  }

  private set(change: Partial<FeedState>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener();
  }
}
