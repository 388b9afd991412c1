import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { ThreadSightService } from '../sight/thread-sight.service.js';
import type { ThreadFilter, ThreadOrder, ThreadPosition } from './thread-list.query.js';
import { SearchHitsRepository } from './search-hits.repository.js';
import { SearchedPart } from './searched-part.js';
import { HAS_RUNS, type Sight } from './thread-conditions.sql.js';
import { ThreadListSql, type FilterPath } from './thread-list.sql.js';
import type { ThreadItemRow } from './thread-item.json.js';
import { itemsSql, unpackItem, type PackedItem } from './thread-item.sql.js';

/** An item with the value that the list is sorted by. */
export type ListedThread = ThreadItemRow & { place: number };

/** A filter that lets through no more than this many threads is read first, whatever the order. */
const FEW = 2000;
/** Threads among which a page of those with a searched text is looked for, before all of them are. */
const NEARBY = 1000;
/** As many are read of each agent of a bound reader, however many these are. */
const MIN_NEARBY = 100;
/** Agents of a bound reader whose threads are read one agent after the other. */
const MAX_AGENTS = 100;

/** Reads pages of the thread list. */
@Injectable()
export class ThreadListRepository {
  constructor(
    private readonly database: Database,
    private readonly sight: ThreadSightService,
    private readonly hits: SearchHitsRepository,
  ) {}

  async page(
    filter: ThreadFilter,
    order: ThreadOrder,
    after: ThreadPosition | null,
    limit: number,
  ): Promise<ListedThread[]> {
    const sight = await this.sightOf(filter);
    if (seesNothing(sight)) return [];
    const query = { filter, order, after, limit, sight };
    if (filter.search !== null) return this.searchedPage(query, new SearchedPart(this.database.dialect, filter.search));
    const path = await this.pathFor(filter, order, sight);
    return this.read(query, (sql) => sql.page(path, order, after, limit));
  }

  async count(filter: ThreadFilter): Promise<number> {
    const sight = await this.sightOf(filter);
    const { search } = filter;
    const part = search === null ? null : new SearchedPart(this.database.dialect, search);
    if (seesNothing(sight) || part?.isTooLong) return 0;
    const hits = part && (await this.hits.hitsOf(part));
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const [row] = await this.database.read<{ total: number }>(sql.count(hits), sql.params);
    return row?.total ?? 0;
  }

  /** What a bound reader sees; of many agents, threads are found in the order of the list. */
  private async sightOf({ seenBy }: ThreadFilter): Promise<Sight | null> {
    if (seenBy === null) return null;
    const agents = await this.sight.agentsOf(seenBy);
    return {
      agents: agents && agents.length <= MAX_AGENTS ? agents : null,
      condition: (threadPk) => this.sight.conditionOf(threadPk, seenBy),
    };
  }

  /** The number of threads in each of these statuses, without statuses that no thread has. */
  async countByStatus(statuses: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.read<{ status: string; total: number }>(
      `SELECT status, COUNT(*) AS total FROM thread t WHERE status IN ${sqlTuple(statuses)} AND ${HAS_RUNS} GROUP BY status`,
    );
    return new Map(rows.map(({ status, total }) => [status, Number(total)]));
  }

  /**
   * A single filter in the order of time is one stretch of an index. Where several come together, or another order is wanted, the
   * filter that lets few through is read and sorted; where all let many through, a walk along the order soon finds a page. The walk only
   * gets long where the filters match many threads that are all at its far end, or where hardly any thread matches both of two.
   */
  private async pathFor(
    filter: ThreadFilter,
    { sort }: ThreadOrder,
    sight: Sight | null,
  ): Promise<FilterPath | 'order'> {
    const isByTime = sort === 'updated_at';
    const paths = pathsOf(filter, isByTime, sight);
    if (isByTime && paths.length === 1) return paths[0]!;
    const narrowest = await this.narrowest(filter, paths, sight);
    return narrowest && (isByTime || narrowest.count <= FEW) ? narrowest.path : 'order';
  }

  /**
   * A text that many threads contain is soon found along the order. One that few contain is looked for in all threads, unless a filter
   * lets few of them through.
   */
  private async searchedPage(query: PageQuery, part: SearchedPart): Promise<ListedThread[]> {
    if (part.isTooLong) return [];
    const { filter, order, after, limit, sight } = query;
    const narrowest = await this.narrowest(filter, pathsOf(filter, false, sight), sight);
    if (narrowest && narrowest.count <= FEW) {
      return this.read(query, (sql) => sql.page(narrowest.path, order, after, limit));
    }
    const isAlong = order.sort === 'updated_at' && narrowest && narrowest.path !== 'time';
    const path = isAlong ? (narrowest.path as Exclude<FilterPath, 'time'>) : 'order';
    const agents = path === 'agent' && filter.agentId === null ? (sight?.agents?.length ?? 1) : 1;
    const most = Math.max(MIN_NEARBY, limit, Math.floor(NEARBY / agents));
    const nearby = await this.read(query, (sql) => sql.nearby(path, order, after, most, limit));
    if (nearby.length === limit) return nearby;
    const hits = await this.hits.hitsOf(part);
    return this.read(query, (sql) => sql.foundPage(hits, order, after, limit));
  }

  private async read(
    { filter, order, sight }: PageQuery,
    write: (sql: ThreadListSql) => string,
  ): Promise<ListedThread[]> {
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const items = itemsSql(this.database.dialect, write(sql), order.isAscending ? 'ASC' : 'DESC');
    const rows = await this.database.read<PackedItem & { place: number }>(items, sql.params);
    return rows.map((row) => unpackItem(row));
  }

  /** The path that lets the fewest threads through; null for none. */
  private async narrowest(
    filter: ThreadFilter,
    paths: readonly FilterPath[],
    sight: Sight | null,
  ): Promise<{ path: FilterPath; count: number } | null> {
    const counts = await Promise.all(paths.map((path) => this.countSome(filter, path, sight)));
    const count = Math.min(...counts);
    return paths.length === 0 ? null : { path: paths[counts.indexOf(count)]!, count };
  }

  private async countSome(filter: ThreadFilter, path: FilterPath, sight: Sight | null): Promise<number> {
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const [row] = await this.database.read<{ total: number }>(sql.probe(path, FEW + 1), sql.params);
    return row?.total ?? 0;
  }
}

interface PageQuery {
  filter: ThreadFilter;
  order: ThreadOrder;
  after: ThreadPosition | null;
  limit: number;
  sight: Sight | null;
}

function seesNothing(sight: Sight | null): boolean {
  return sight?.agents?.length === 0;
}

/** Indexes that narrow the list down. All of them contain the time, so an index by time alone only helps with another order. */
function pathsOf({ statuses, agentId, model, sinceMs, untilMs }: ThreadFilter, isByTime: boolean, sight: Sight | null) {
  const paths: FilterPath[] = [];
  if (statuses.length > 0) paths.push('status');
  if (agentId !== null || sight?.agents) paths.push('agent');
  if (model !== null) paths.push('model');
  if (!isByTime && (sinceMs !== null || untilMs !== null)) paths.push('time');
  return paths;
}
