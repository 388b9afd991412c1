import type { Database, SqlValue } from '../../../database/database.js';
import type { ThreadFlagsService } from '../flags/thread-flags.service.js';
import type { SearchHits } from './search-hits.repository.js';
import {
  HAS_RUNS,
  OF_AGENT,
  OF_THREAD,
  ThreadConditions,
  type Columns,
  type Visibility,
} from './thread-conditions.sql.js';
import type { PresentFilter, ThreadOrder, ThreadPosition, ThreadSort } from './thread-list.query.js';

/**
 * The index that a statement reads the list by: the order's or a filter's. The indexes of status, agent and model are sorted by
 * `updated_at`; any other order needs a sort, which only pays if the filter selects few threads. `text` scans all ids and sorts the
 * matching threads.
 */
export type ListPath = 'order' | 'status' | 'agent' | 'model' | 'time' | 'text';

export type FilterPath = Exclude<ListPath, 'order' | 'text'>;

const INDEX_OF_SORT: Record<ThreadSort, string> = {
  updated_at: 'thread_by_updated',
  started_at: 'thread_by_started',
  total_tokens: 'thread_by_tokens',
  total_cost_usd: 'thread_by_cost',
};
const INDEX_OF_PATH = { status: 'thread_by_status', model: 'thread_by_model', time: 'thread_by_updated' } as const;

/** The filter values that one range of an index is read for. */
interface Stretch {
  statuses: readonly string[];
  /** Null for another path. */
  agentId: string | null;
}

const NO_STRETCH: Stretch = { statuses: [], agentId: null };

/**
 * Writes the statements of the thread list. Binds values in the order in which it writes them.
 * SQLite has no statistics here, so the statement names the index. PostgreSQL's statistics do not tell how a filter and an order combine:
 * it would walk a million threads in cost order to find the few of an expensive agent. `OFFSET 0` makes it read the few first. The limit is
 * not a parameter, so that the planner knows it.
 */
export class ThreadListSql {
  private readonly where: ThreadConditions;

  constructor(
    private readonly dialect: Database['dialect'],
    private readonly filter: PresentFilter,
    visibility: Visibility | null,
    flags: Pick<ThreadFlagsService, 'isSilentSql'>,
  ) {
    this.where = new ThreadConditions(dialect, filter, visibility, flags);
  }

  get params(): readonly SqlValue[] {
    return this.where.params;
  }

  /** Counts matching threads up to `limit`. A bound reader may see hardly any of the threads its agents took part in. */
  probe(path: FilterPath, limit: number): string {
    const some =
      path === 'agent'
        ? `SELECT 1 FROM ${this.where.agents()} WHERE ${all([`a.agent_id IN ${this.where.bindAgents()}`, ...this.where.seen('a.thread_pk')])}`
        : `SELECT 1 FROM ${this.where.threads(INDEX_OF_PATH[path])} WHERE ${all(this.pathConditions(path, OF_THREAD))}`;
    return `SELECT COUNT(*) AS total FROM (${some} LIMIT ${limit}) AS matching`;
  }

  count(hits: SearchHits | null): string {
    const from = hits ? this.where.found(hits) : { tables: 'thread t', conditions: [] };
    const conditions = [
      ...from.conditions,
      HAS_RUNS,
      ...this.where.time(OF_THREAD),
      ...this.where.statuses(),
      ...this.where.model(),
      ...this.where.ofListed(),
      ...this.where.few(),
      ...this.where.flags(),
      ...this.where.seen('t.pk'),
    ];
    return `SELECT COUNT(*) AS total FROM ${from.tables} WHERE ${all(conditions)}`;
  }

  /** Selects `pk` and the sort value (`place`) of one page. */
  page(path: Exclude<ListPath, 'text'>, order: ThreadOrder, after: ThreadPosition | null, limit: number): string {
    return this.joined(path, order, limit, (stretch) => {
      const columns = columnsOf(path);
      const conditions = [
        ...this.onIndex(path, stretch, order, after),
        path === 'agent' ? 't.pk = a.thread_pk' : HAS_RUNS,
        ...this.offIndex(path, order, columns),
        ...this.where.search(),
        ...this.where.seen(columns.pk),
      ];
      const tables = path === 'agent' ? this.threadsOfAgents(order) : this.where.threads(indexOf(path, order.sort));
      const what = `SELECT ${columns.pk} AS pk, ${placeIn(columns, order)} AS place FROM ${tables} WHERE ${all(conditions)}`;
      if (path !== 'order' && order.sort !== 'updated_at') return this.sorted(what, order, limit);
      return `${what} ${inOrder(placeIn(columns, order), columns.pk, order)} LIMIT ${limit}`;
    });
  }

  /** Selects the threads of one page that are among the next `most` threads of a path in list order; no other thread precedes them. */
  nearby(
    path: Exclude<ListPath, 'text' | 'time'>,
    order: ThreadOrder,
    after: ThreadPosition | null,
    most: number,
    limit: number,
  ): string {
    const near = this.joined(path, order, most, (stretch) => {
      const columns = columnsOf(path);
      const tables = path === 'agent' ? this.where.agents() : this.where.threads(indexOf(path, order.sort));
      const place = placeIn(columns, order);
      return `SELECT ${columns.pk} AS pk, ${place} AS place FROM ${tables}
        WHERE ${all(this.onIndex(path, stretch, order, after))} ${inOrder(place, columns.pk, order)} LIMIT ${most}`;
    });
    const conditions = ['t.pk = near.pk', HAS_RUNS, ...this.offIndex(path, order, OF_THREAD), ...this.where.search()];
    return `SELECT near.pk, near.place FROM (${near}) AS near CROSS JOIN ${this.threadsOf('near.pk')}
      WHERE ${all([...conditions, ...this.where.seen('near.pk')])} ${inOrder('near.place', 'near.pk', order)} LIMIT ${limit}`;
  }

  /** As `page`, for the threads with these hits or the searched text in their id. */
  foundPage(hits: SearchHits, order: ThreadOrder, after: ThreadPosition | null, limit: number): string {
    return this.someOf(this.where.found(hits), order, after, limit);
  }

  /** As `page`, for filters that select few threads. */
  fewPage(order: ThreadOrder, after: ThreadPosition | null, limit: number): string {
    const conditions = [...this.where.few(), ...this.where.search()];
    return this.someOf({ tables: 'thread t', conditions }, order, after, limit);
  }

  private someOf(
    { tables, conditions }: { tables: string; conditions: readonly string[] },
    order: ThreadOrder,
    after: ThreadPosition | null,
    limit: number,
  ): string {
    const further = [
      't.run_count > 0',
      ...this.onIndex('text', NO_STRETCH, order, after),
      ...this.offIndex('text', order, OF_THREAD),
      ...this.where.seen('t.pk'),
    ];
    const what = `SELECT t.pk AS pk, ${placeIn(OF_THREAD, order)} AS place FROM ${tables} WHERE ${all([...conditions, ...further])}`;
    return this.sorted(what, order, limit);
  }

  /** Joins the pages of all index ranges that a path reads. */
  private joined(path: ListPath, order: ThreadOrder, limit: number, pageOf: (stretch: Stretch) => string): string {
    const { statuses } = this.filter;
    // Several agents may have taken part in one thread.
    if (path === 'agent') {
      const parts = this.where.listed().map((agentId) => pageOf({ statuses, agentId }));
      return union(parts, 'UNION', order, limit);
    }
    const isUnion = path === 'status' && order.sort === 'updated_at' && statuses.length > 1;
    const parts = isUnion ? statuses.map((status) => [status]) : [statuses];
    return union(
      parts.map((part) => pageOf({ statuses: part, agentId: null })),
      'UNION ALL',
      order,
      limit,
    );
  }

  /** The conditions that a path's index answers, including the position if it has the list's order. */
  private onIndex(
    path: ListPath,
    { statuses, agentId }: Stretch,
    order: ThreadOrder,
    after: ThreadPosition | null,
  ): string[] {
    const columns = columnsOf(path);
    return [
      ...(path === 'agent' ? [`a.agent_id = ${this.where.bind(agentId)}`] : []),
      ...(path === 'status' ? this.where.statuses(statuses) : []),
      ...(path === 'model' ? this.where.model() : []),
      ...(order.sort === 'updated_at' ? this.where.time(columns) : []),
      ...(after ? [this.where.behind(placeIn(columns, order), columns.pk, after, order)] : []),
    ];
  }

  /** The other filters, without the searched text. */
  private offIndex(path: ListPath, order: ThreadOrder, columns: Columns): string[] {
    return [
      ...(path === 'status' ? [] : this.where.statuses()),
      ...(path === 'model' ? [] : this.where.model()),
      ...(order.sort === 'updated_at' ? [] : this.where.time(columns)),
      ...(path === 'agent' ? [] : this.where.agent()),
      ...this.where.flags(),
    ];
  }

  private pathConditions(path: 'status' | 'model' | 'time', columns: Columns): string[] {
    if (path === 'status') return this.where.statuses();
    return path === 'model' ? this.where.model() : this.where.time(columns);
  }

  private threadsOfAgents({ sort }: ThreadOrder): string {
    return `${this.where.agents()} CROSS JOIN ${sort === 'updated_at' ? 'thread t' : this.threadsOf('a.thread_pk')}`;
  }

  /** PostgreSQL would rather read all threads than a few hundred one by one. */
  private threadsOf(pk: string): string {
    return this.dialect === 'postgres' ? `LATERAL (SELECT * FROM thread o WHERE o.pk = ${pk} OFFSET 0) t` : 'thread t';
  }

  /** Sorts few threads. On PostgreSQL, `OFFSET 0` makes it read them first. */
  private sorted(what: string, order: ThreadOrder, limit: number): string {
    const few = `SELECT pk, place FROM (${what}${this.dialect === 'postgres' ? ' OFFSET 0' : ''}) AS few`;
    return `${few} ${inOrder('place', 'pk', order)} LIMIT ${limit}`;
  }
}

function columnsOf(path: ListPath): Columns {
  return path === 'agent' ? OF_AGENT : OF_THREAD;
}

function placeIn(columns: Columns, { sort }: ThreadOrder): string {
  return sort === 'updated_at' ? columns.updatedAt : `t.${sort}`;
}

function indexOf(path: Exclude<ListPath, 'agent' | 'text'>, sort: ThreadSort): string {
  return path === 'order' ? INDEX_OF_SORT[sort] : INDEX_OF_PATH[path];
}

/** @param joined `UNION` if a thread may be in several parts */
function union(parts: readonly string[], joined: 'UNION' | 'UNION ALL', order: ThreadOrder, limit: number): string {
  if (parts.length === 1) return parts[0]!;
  const all = parts.map((part, i) => `SELECT * FROM (${part}) AS part_${i}`).join(` ${joined} `);
  return `SELECT pk, place FROM (${all}) AS parts ${inOrder('place', 'pk', order)} LIMIT ${limit}`;
}

function inOrder(place: string, pk: string, { isAscending }: ThreadOrder): string {
  const way = isAscending ? 'ASC' : 'DESC';
  return `ORDER BY ${place} ${way}, ${pk} ${way}`;
}

function all(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'TRUE' : conditions.join(' AND ');
}
