import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { ThreadVisibilityService } from '../visibility/thread-visibility.service.js';
import type { FlagColumns, Flags } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import type { PresentFilter, ThreadOrder, ThreadPosition } from './thread-list.query.js';
import { ListedItemsRepository, type KnownItem } from './listed-items.repository.js';
import { SearchHitsRepository } from './search-hits.repository.js';
import { SearchedPart } from './searched-part.js';
import { HAS_RUNS, type Visibility } from './thread-conditions.sql.js';
import { ThreadListSql, type FilterPath } from './thread-list.sql.js';
import { itemJson, itemMembers, type ThreadItemRow } from './thread-item.json.js';
import { itemSql, itemsSql, unpackItem, type LongItem, type PackedItem } from './thread-item.sql.js';

/** An item with its sort value. */
export type ListedThread = (ThreadItemRow | LongItem | KnownItem) & { place: number; flags: Flags };

/** Threads read along an index per item of a page, before anything is counted. */
const NEXT = 8;
/** A filter that selects at most this many threads is read first, whatever the order. */
const FEW = 2000;
/** Filters that select more are compared up to this many threads. */
const MANY = 20_000;
/** Threads read along an index to find a page, before anything else; fewer for a text search. */
const NEARBY = 4000;
const NEARBY_SEARCHED = 1000;
/** At least this many are read for each agent of a bound reader. */
const MIN_NEARBY = 100;
/** Agents of a bound reader whose threads are read agent by agent. */
const MAX_AGENTS = 100;

@Injectable()
export class ThreadListRepository {
  constructor(
    private readonly database: Database,
    private readonly visibility: ThreadVisibilityService,
    private readonly hits: SearchHitsRepository,
    private readonly items: ListedItemsRepository,
    private readonly flags: ThreadFlagsService,
  ) {}

  /**
   * A single filter in time order is one range of an index. For several filters, another order or a text search, a page is usually among
   * the next threads in order. If not, a filter that selects few threads is read whole. Otherwise the page is usually among some thousands
   * of threads. If the matching threads are at the far end or very rare, the narrowest filter is read whole, or all ids for a text. A run's
   * id needs a scan of all runs' ids; threads in doubt are known.
   */
  async page(wanted: WantedPage): Promise<ListedThread[]> {
    const { filter, order, after, limit } = wanted;
    const visibility = await this.visibilityOf(filter);
    const part = this.searchedPart(filter);
    if (seesNothing(visibility) || part?.isTooLong) return [];
    const query = { ...wanted, visibility };
    if (filter.traceId !== null || filter.traceIdPrefix !== null || filter.isInDoubt === true) {
      return this.read(query, (sql) => sql.fewPage(order, after, limit));
    }
    const isByTime = order.sort === 'updated_at';
    const paths = pathsOf(filter, isByTime && part === null, visibility);
    if (part === null && (paths.length === 0 || (isByTime && paths.length === 1))) {
      return this.read(query, (sql) => sql.page(paths[0] ?? 'order', order, after, limit));
    }
    const inOrder = pathsInOrder(paths, isByTime);
    const next = await this.nearby(query, inOrder[0]!, NEXT * limit);
    if (next.length === limit) return next;
    const narrow = await this.narrowest(query, paths, FEW);
    if (narrow && narrow.count <= FEW) return this.read(query, (sql) => sql.page(narrow.path, order, after, limit));
    for (const path of inOrder) {
      const nearby = await this.nearby(query, path, filter.search === null ? NEARBY : NEARBY_SEARCHED);
      if (nearby.length === limit) return nearby;
    }
    if (part !== null) {
      const hits = await this.hits.hitsOf(part);
      return this.read(query, (sql) => sql.foundPage(hits, order, after, limit));
    }
    const { path } = (await this.narrowest(query, paths, MANY))!;
    return this.read(query, (sql) => sql.page(path, order, after, limit));
  }

  /** A page's item in full; null if its thread has been deleted meanwhile. */
  async whole(item: ListedThread): Promise<ThreadItemRow | null> {
    if ('extra' in item) return item;
    const sql = itemSql('pk', this.flags);
    const [row] = await this.database.read<ThreadItemRow>(sql, [this.flags.silentBeforeMs(), item.thread_pk]);
    return row ?? null;
  }

  /** The same as JSON. */
  async json(item: ListedThread): Promise<string | null> {
    if ('members' in item) return itemJson(item.members, item.flags);
    const row = await this.whole(item);
    return row && itemJson(itemMembers(row), item.flags);
  }

  async count(filter: PresentFilter): Promise<number> {
    const visibility = await this.visibilityOf(filter);
    const part = this.searchedPart(filter);
    if (seesNothing(visibility) || part?.isTooLong) return 0;
    const hits = part && (await this.hits.hitsOf(part));
    const sql = this.sqlOf(filter, visibility);
    const [row] = await this.database.read<{ total: number }>(sql.count(hits), sql.params);
    return row?.total ?? 0;
  }

  /** What a bound reader sees. With many agents, threads are searched in list order. */
  private async visibilityOf({ seenBy }: PresentFilter): Promise<Visibility | null> {
    if (seenBy === null) return null;
    const agents = await this.visibility.agentsOf(seenBy);
    return {
      agents: agents && agents.length <= MAX_AGENTS ? agents : null,
      condition: (threadPk) => this.visibility.conditionOf(threadPk, seenBy),
    };
  }

  /** The number of threads in each of these statuses, without unused statuses. */
  async countByStatus(statuses: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.read<{ status: string; total: number }>(
      `SELECT status, COUNT(*) AS total FROM thread t WHERE status IN ${sqlTuple(statuses, this.database.dialect)} AND ${HAS_RUNS} GROUP BY status`,
    );
    return new Map(rows.map(({ status, total }) => [status, Number(total)]));
  }

  private searchedPart({ search }: PresentFilter): SearchedPart | null {
    return search === null ? null : new SearchedPart(this.database.dialect, search);
  }

  /** The threads of a page that are among the next threads along a path. */
  private nearby(
    query: PageQuery,
    path: Exclude<FilterPath, 'time'> | 'order',
    threads: number,
  ): Promise<ListedThread[]> {
    const { filter, order, after, limit, visibility } = query;
    const agents = path === 'agent' && filter.agentId === null ? (visibility?.agents?.length ?? 1) : 1;
    const most = Math.floor(threads / agents);
    return this.read(query, (sql) => sql.nearby(path, order, after, Math.max(MIN_NEARBY, limit, most), limit));
  }

  private async read(
    { filter, order, after, isWithRows, visibility }: PageQuery,
    write: (sql: ThreadListSql) => string,
  ): Promise<ListedThread[]> {
    const sql = this.sqlOf(filter, visibility);
    const statement = write(sql);
    const params = [...sql.params, filter.silentBeforeMs];
    const page = { statement, way: order.isAscending ? 'ASC' : 'DESC', sinceMs: `$${params.length}` } as const;
    // Pages after the first are rarely requested again.
    const known = after || isWithRows ? null : await this.items.page(page, params);
    if (known) return this.flagged(known);
    const items = itemsSql(this.database.dialect, page, this.flags);
    const rows = await this.database.read<PackedItem & FlagColumns & { place: number }>(items, params);
    return this.flagged(rows.map((row) => unpackItem(row)));
  }

  private async flagged<Item extends FlagColumns & { thread_pk: number }>(items: Item[]) {
    const flagsOf = await this.flags.flagsOf(items);
    return items.map((item) => ({ ...item, flags: flagsOf(item.thread_pk) }));
  }

  private sqlOf(filter: PresentFilter, visibility: Visibility | null): ThreadListSql {
    return new ThreadListSql(this.database.dialect, filter, visibility, this.flags);
  }

  /** The path that selects the fewest threads, and their number, counted up to `most` plus one; null for none. */
  private async narrowest(
    { filter, visibility }: PageQuery,
    paths: readonly FilterPath[],
    most: number,
  ): Promise<{ path: FilterPath; count: number } | null> {
    const countOf = async (path: FilterPath) => {
      const sql = this.sqlOf(filter, visibility);
      const [row] = await this.database.read<{ total: number }>(sql.probe(path, most + 1), sql.params);
      return row?.total ?? 0;
    };
    const counts = await Promise.all(paths.map(countOf));
    const count = Math.min(...counts);
    return paths.length === 0 ? null : { path: paths[counts.indexOf(count)]!, count };
  }
}

interface WantedPage {
  filter: PresentFilter;
  order: ThreadOrder;
  after: ThreadPosition | null;
  limit: number;
  /** Whether cached JSON is not enough. */
  isWithRows: boolean;
}

interface PageQuery extends WantedPage {
  visibility: Visibility | null;
}

function seesNothing(visibility: Visibility | null): boolean {
  return visibility?.agents?.length === 0;
}

/** Indexes that narrow the list. All of them contain the time, so the time index only helps with another order. */
function pathsOf(
  { statuses, agentId, model, sinceMs, untilMs }: PresentFilter,
  isByTime: boolean,
  visibility: Visibility | null,
) {
  const paths: FilterPath[] = [];
  if (statuses.length > 0) paths.push('status');
  if (agentId !== null || visibility?.agents) paths.push('agent');
  if (model !== null) paths.push('model');
  if (!isByTime && (sinceMs !== null || untilMs !== null)) paths.push('time');
  return paths;
}

/** The paths whose index has the list's order. */
function pathsInOrder(paths: readonly FilterPath[], isByTime: boolean): (Exclude<FilterPath, 'time'> | 'order')[] {
  const narrowed = isByTime ? paths.filter((path) => path !== 'time') : [];
  return narrowed.length > 0 ? narrowed : ['order'];
}
