import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { ThreadSightService } from '../sight/thread-sight.service.js';
import type { ThreadFilter, ThreadOrder, ThreadPosition } from './thread-list.query.js';
import { HAS_RUNS, ThreadListSql, type ListPath, type Sight } from './thread-list.sql.js';
import type { ThreadItemRow } from './thread-item.json.js';
import { itemsSql, unpackItem, type PackedItem } from './thread-item.sql.js';

/** An item with the value that the list is sorted by. */
export type ListedThread = ThreadItemRow & { place: number };

/** A filter that lets through no more than this many threads is read first, whatever the order. */
const FEW = 2000;
/** Agents of a bound reader whose threads are read one agent after the other. */
const MAX_AGENTS = 100;

/** Reads pages of the thread list. */
@Injectable()
export class ThreadListRepository {
  constructor(
    private readonly database: Database,
    private readonly sight: ThreadSightService,
  ) {}

  async page(
    filter: ThreadFilter,
    order: ThreadOrder,
    after: ThreadPosition | null,
    limit: number,
  ): Promise<ListedThread[]> {
    const sight = await this.sightOf(filter);
    if (seesNothing(sight)) return [];
    const path = await this.pathFor(filter, order, sight);
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const page = sql.page(path, order, after, limit);
    const items = itemsSql(this.database.dialect, page, order.isAscending ? 'ASC' : 'DESC');
    const rows = await this.database.read<PackedItem & { place: number }>(items, sql.params);
    return rows.map((row) => unpackItem(row));
  }

  async count(filter: ThreadFilter): Promise<number> {
    const sight = await this.sightOf(filter);
    if (seesNothing(sight)) return 0;
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const [row] = await this.database.read<{ total: number }>(sql.count(), sql.params);
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
  private async pathFor(filter: ThreadFilter, { sort }: ThreadOrder, sight: Sight | null): Promise<ListPath> {
    const isByTime = sort === 'updated_at';
    const paths = pathsOf(filter, isByTime, sight);
    const [only] = paths;
    if (only === undefined || (isByTime && paths.length === 1)) return only ?? 'order';
    const counts = await Promise.all(paths.map((path) => this.countSome(filter, path, sight)));
    const fewest = counts.indexOf(Math.min(...counts));
    return isByTime || counts[fewest]! <= FEW ? paths[fewest]! : 'order';
  }

  private async countSome(
    filter: ThreadFilter,
    path: Exclude<ListPath, 'order'>,
    sight: Sight | null,
  ): Promise<number> {
    const sql = new ThreadListSql(this.database.dialect, filter, sight);
    const [row] = await this.database.read<{ total: number }>(sql.probe(path, FEW + 1), sql.params);
    return row?.total ?? 0;
  }
}

function seesNothing(sight: Sight | null): boolean {
  return sight?.agents?.length === 0;
}

/** Indexes that narrow the list down. All of them contain the time, so an index by time alone only helps with another order. */
function pathsOf({ statuses, agentId, model, sinceMs, untilMs }: ThreadFilter, isByTime: boolean, sight: Sight | null) {
  const paths: Exclude<ListPath, 'order'>[] = [];
  if (statuses.length > 0) paths.push('status');
  if (agentId !== null || sight?.agents) paths.push('agent');
  if (model !== null) paths.push('model');
  if (!isByTime && (sinceMs !== null || untilMs !== null)) paths.push('time');
  return paths;
}
