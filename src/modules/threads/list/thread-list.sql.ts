import type { Database, SqlValue } from '../../../database/database.js';
import { SearchedPart } from './searched-part.js';
import type { ThreadFilter, ThreadOrder, ThreadPosition, ThreadSort } from './thread-list.query.js';

/**
 * The index that a statement reads the list by: that of its order, or that of a filter. The indexes of status, agent and model are in the
 * order of `updated_at`; any other order needs a sort, which only pays where the filter lets few threads through.
 */
export type ListPath = 'order' | 'status' | 'agent' | 'model' | 'time';

const INDEX_OF_SORT: Record<ThreadSort, string> = {
  updated_at: 'thread_by_updated',
  started_at: 'thread_by_started',
  total_tokens: 'thread_by_tokens',
  total_cost_usd: 'thread_by_cost',
};
const INDEX_OF_PATH = { status: 'thread_by_status', model: 'thread_by_model', time: 'thread_by_updated' } as const;

/** What a reader sees whose token is bound to agents. */
export interface Sight {
  /** The agents that took part in threads and for which it may speak; null where they are too many to read the list by. */
  agents: readonly string[] | null;
  /** Condition for a column with the number of a thread. */
  condition: (threadPk: string) => string;
}

/** What one stretch of an index is read for. */
interface Stretch {
  statuses: readonly string[];
  /** The agent by which the list is read; null for another path. */
  agentId: string | null;
}

/** The table of the columns in the conditions. */
interface Columns {
  pk: string;
  updatedAt: string;
}

/**
 * The list leaves out threads that only have events of unknown types. These are few and have an index of their own, so that the
 * statement need not look at the others.
 */
export const HAS_RUNS = 't.pk NOT IN (SELECT w.pk FROM thread w WHERE w.run_count = 0)';

const OF_THREAD: Columns = { pk: 't.pk', updatedAt: 't.updated_at' };
const OF_AGENT: Columns = { pk: 'a.thread_pk', updatedAt: 'a.updated_at' };

/**
 * Writes the statements of the thread list. It binds values in the order in which it writes them.
 * SQLite keeps no statistics here, so the statement names the index. PostgreSQL finds it by its statistics, but these do not say how a
 * filter and an order go together: it walks through a million threads in the order of cost to the few of an expensive agent. So where a
 * filter lets few through, `OFFSET 0` has it read these first. The limit is no parameter, so that it knows how little is wanted.
 */
export class ThreadListSql {
  readonly params: SqlValue[] = [];

  constructor(
    private readonly dialect: Database['dialect'],
    private readonly filter: ThreadFilter,
    private readonly sight: Sight | null,
  ) {}

  /** Statement that counts matching threads up to `limit`. A bound reader may see hardly any of those in which its agents took part. */
  probe(path: Exclude<ListPath, 'order'>, limit: number): string {
    const some =
      path === 'agent'
        ? `SELECT 1 FROM ${this.agents()} WHERE ${all([`a.agent_id IN ${this.bindAgents()}`, ...this.seen('a.thread_pk')])}`
        : `SELECT 1 FROM ${this.threads(INDEX_OF_PATH[path])} WHERE ${all(this.pathConditions(path, OF_THREAD))}`;
    return `SELECT COUNT(*) AS total FROM (${some} LIMIT ${limit}) AS matching`;
  }

  /** Statement for the number of all matching threads. */
  count(): string {
    const conditions = [HAS_RUNS, ...this.time(OF_THREAD), ...this.statuses(), ...this.model(), ...this.search()];
    if (this.filter.agentId !== null || this.sight?.agents) {
      conditions.push(`t.pk IN (SELECT thread_pk FROM thread_agent WHERE agent_id IN ${this.bindAgents()})`);
    }
    conditions.push(...this.seen('t.pk'));
    return `SELECT COUNT(*) AS total FROM thread t WHERE ${all(conditions)}`;
  }

  /** Statement for the `pk` and the sort value (`place`) of one page. */
  page(path: ListPath, order: ThreadOrder, after: ThreadPosition | null, limit: number): string {
    const { statuses } = this.filter;
    const select = (of: Stretch) => this.select(path, of, order, after, limit);
    // Several agents may have taken part in one thread.
    if (path === 'agent')
      return union(
        this.listed().map((agentId) => select({ statuses, agentId })),
        'UNION',
        order,
        limit,
      );
    const isUnion = path === 'status' && order.sort === 'updated_at' && statuses.length > 1;
    const parts = isUnion ? statuses.map((status) => [status]) : [statuses];
    return union(
      parts.map((part) => select({ statuses: part, agentId: null })),
      'UNION ALL',
      order,
      limit,
    );
  }

  private select(
    path: ListPath,
    { statuses, agentId }: Stretch,
    order: ThreadOrder,
    after: ThreadPosition | null,
    limit: number,
  ): string {
    const isByAgent = path === 'agent';
    const columns = isByAgent ? OF_AGENT : OF_THREAD;
    const place = order.sort === 'updated_at' ? columns.updatedAt : `t.${order.sort}`;
    const from = isByAgent ? `${this.agents()} CROSS JOIN thread t` : this.threads(indexOf(path, order.sort));
    const conditions = [
      ...(isByAgent ? [`a.agent_id = ${this.bind(agentId)}`, `t.pk = a.thread_pk`] : [HAS_RUNS]),
      ...this.statuses(statuses),
      ...this.model(),
      ...this.time(columns),
      ...(after ? [this.behind(place, columns.pk, after, order)] : []),
      ...(isByAgent ? [] : this.agent()),
      ...this.search(),
      ...this.seen(columns.pk),
    ];
    const what = `SELECT ${columns.pk} AS pk, ${place} AS place FROM ${from} WHERE ${all(conditions)}`;
    if (this.dialect === 'postgres' && path !== 'order' && order.sort !== 'updated_at') {
      return `SELECT pk, place FROM (${what} OFFSET 0) AS few ${inOrder('place', 'pk', order)} LIMIT ${limit}`;
    }
    return `${what} ${inOrder(place, columns.pk, order)} LIMIT ${limit}`;
  }

  private pathConditions(path: 'status' | 'model' | 'time', columns: Columns): string[] {
    if (path === 'status') return this.statuses();
    return path === 'model' ? this.model() : this.time(columns);
  }

  private statuses(statuses: readonly string[] = this.filter.statuses): string[] {
    if (statuses.length === 0) return [];
    if (statuses.length === 1) return [`t.status = ${this.bind(statuses[0]!)}`];
    return [`t.status IN (${statuses.map((status) => this.bind(status)).join(', ')})`];
  }

  private model(): string[] {
    return this.filter.model === null ? [] : [`t.model = ${this.bind(this.filter.model)}`];
  }

  private time({ updatedAt }: Columns): string[] {
    const { sinceMs, untilMs } = this.filter;
    const since = sinceMs === null ? [] : [`${updatedAt} >= ${this.bind(sinceMs)}`];
    return untilMs === null ? since : [...since, `${updatedAt} <= ${this.bind(untilMs)}`];
  }

  private agent(): string[] {
    const { agentId } = this.filter;
    if (agentId === null) return [];
    return [`EXISTS (SELECT 1 FROM thread_agent x WHERE x.thread_pk = t.pk AND x.agent_id = ${this.bind(agentId)})`];
  }

  /** The agents whose threads the list is read by. */
  private listed(): readonly string[] {
    return this.filter.agentId === null ? (this.sight?.agents ?? []) : [this.filter.agentId];
  }

  private bindAgents(): string {
    return `(${this.listed()
      .map((id) => this.bind(id))
      .join(', ')})`;
  }

  private seen(threadPk: string): string[] {
    return this.sight ? [this.sight.condition(threadPk)] : [];
  }

  /** Looks agents up in their table: the thread's own column holds them as JSON, whose quotes would match too. */
  private search(): string[] {
    const { search } = this.filter;
    if (search === null) return [];
    const part = new SearchedPart(this.dialect, search);
    if (part.isTooLong) return ['FALSE'];
    const has = part.condition((value) => this.bind(value));
    const ofAgent = `EXISTS (SELECT 1 FROM thread_agent s WHERE s.thread_pk = t.pk AND ${has('s.agent_id')})`;
    return [`(${has('t.id')} OR ${has('t.model')} OR ${ofAgent})`];
  }

  private behind(place: string, pk: string, after: ThreadPosition, { isAscending }: ThreadOrder): string {
    return `(${place}, ${pk}) ${isAscending ? '>' : '<'} (${this.bind(after.value)}, ${this.bind(after.pk)})`;
  }

  private threads(index: string): string {
    return `thread t${this.by(index)}`;
  }

  private agents(): string {
    return `thread_agent a${this.by('thread_agent_by_agent')}`;
  }

  private by(index: string): string {
    return this.dialect === 'sqlite' ? ` INDEXED BY ${index}` : '';
  }

  private bind(value: SqlValue): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }
}

function indexOf(path: Exclude<ListPath, 'agent'>, sort: ThreadSort): string {
  return path === 'order' ? INDEX_OF_SORT[sort] : INDEX_OF_PATH[path];
}

/** @param joined `UNION` where a thread may be in several parts */
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
