import type { Database, SqlValue } from '../../../database/database.js';
import type { ThreadFlagsService } from '../flags/thread-flags.service.js';
import type { SearchHits } from './search-hits.repository.js';
import { SearchedPart } from './searched-part.js';
import type { PresentFilter, ThreadOrder, ThreadPosition } from './thread-list.query.js';

/** What a reader with a bound token sees. */
export interface Visibility {
  /** The agents with threads that it may speak for; null if too many to list by agent. */
  agents: readonly string[] | null;
  /** Condition for a column with a thread's number. */
  condition: (threadPk: string) => string;
}

/** The table of the columns in the conditions. */
export interface Columns {
  pk: string;
  updatedAt: string;
}

/**
 * The list leaves out threads that only have events of unknown types. They are few and have their own index, so the statement need not read
 * all threads.
 */
export const HAS_RUNS = 't.pk NOT IN (SELECT w.pk FROM thread w WHERE w.run_count = 0)';

export const OF_THREAD: Columns = { pk: 't.pk', updatedAt: 't.updated_at' };
export const OF_AGENT: Columns = { pk: 'a.thread_pk', updatedAt: 'a.updated_at' };

/** Writes the tables and conditions of the list's statements. Binds values in the order in which it writes them. */
export class ThreadConditions {
  readonly params: SqlValue[] = [];

  constructor(
    private readonly dialect: Database['dialect'],
    private readonly filter: PresentFilter,
    private readonly visibility: Visibility | null,
    private readonly threadFlags: Pick<ThreadFlagsService, 'isSilentSql'>,
  ) {}

  statuses(statuses: readonly string[] = this.filter.statuses): string[] {
    if (statuses.length === 0) return [];
    if (statuses.length === 1) return [`t.status = ${this.bind(statuses[0]!)}`];
    return [`t.status IN (${statuses.map((status) => this.bind(status)).join(', ')})`];
  }

  model(): string[] {
    return this.filter.model === null ? [] : [`t.model = ${this.bind(this.filter.model)}`];
  }

  time({ updatedAt }: Columns): string[] {
    const { sinceMs, untilMs } = this.filter;
    const since = sinceMs === null ? [] : [`${updatedAt} >= ${this.bind(sinceMs)}`];
    return untilMs === null ? since : [...since, `${updatedAt} <= ${this.bind(untilMs)}`];
  }

  flags(): string[] {
    const { isSilent, isInDoubt, silentBeforeMs } = this.filter;
    const silent = () => this.threadFlags.isSilentSql(`CAST(${this.bind(silentBeforeMs)} AS bigint)`);
    return [
      ...(isSilent === null ? [] : [isSilent ? silent() : `NOT ${silent()}`]),
      ...(isInDoubt === false ? [`NOT ${this.isInDoubt()}`] : []),
    ];
  }

  private isInDoubt(): string {
    const pks = this.filter.inDoubt;
    if (this.dialect === 'sqlite') return `t.pk IN (SELECT value FROM json_each(${this.bind(JSON.stringify(pks))}))`;
    return `(t.pk = ANY (CAST(${this.bind(`{${pks.join(',')}}`)} AS integer[])))`;
  }

  agent(): string[] {
    const { agentId } = this.filter;
    if (agentId === null) return [];
    return [`EXISTS (SELECT 1 FROM thread_agent x WHERE x.thread_pk = t.pk AND x.agent_id = ${this.bind(agentId)})`];
  }

  /** Filters that select few threads: those with an effect in doubt and, after one scan of all runs' ids, those of a run. */
  few(): string[] {
    const { traceId, traceIdPrefix } = this.filter;
    const inDoubt = this.filter.isInDoubt === true ? [this.isInDoubt()] : [];
    const conditions = [
      ...(traceId === null ? [] : [`r.trace_id = ${this.bind(traceId)}`]),
      // Both databases count code points.
      ...(traceIdPrefix === null
        ? []
        : [`substr(r.trace_id, 1, ${[...traceIdPrefix].length}) = ${this.bind(traceIdPrefix)}`]),
    ];
    return conditions.length === 0
      ? inDoubt
      : [
          ...inDoubt,
          `t.pk IN (SELECT r.thread_pk FROM run r${this.by('run_by_trace')} WHERE ${conditions.join(' AND ')})`,
        ];
  }

  /** If `listed` names agents, only threads in which one of them took part. */
  ofListed(): string[] {
    if (this.filter.agentId === null && !this.visibility?.agents) return [];
    return [`t.pk IN (SELECT thread_pk FROM thread_agent WHERE agent_id IN ${this.bindAgents()})`];
  }

  /** The agents whose threads the list is read by. */
  listed(): readonly string[] {
    return this.filter.agentId === null ? (this.visibility?.agents ?? []) : [this.filter.agentId];
  }

  bindAgents(): string {
    return `(${this.listed()
      .map((id) => this.bind(id))
      .join(', ')})`;
  }

  seen(threadPk: string): string[] {
    return this.visibility ? [this.visibility.condition(threadPk)] : [];
  }

  /** Searches agents in their table: the thread's own column has them as JSON, whose quotes would match too. */
  search(): string[] {
    const has = this.searched();
    if (has === null) return [];
    const ofAgent = `EXISTS (SELECT 1 FROM thread_agent s WHERE s.thread_pk = t.pk AND ${has('s.agent_id')})`;
    return [`(${has('t.id')} OR ${has('t.model')} OR ${ofAgent})`];
  }

  /**
   * Threads with these hits or with the searched text in their id. SQLite reads narrow indexes first and then only the matching rows.
   * PostgreSQL's indexes lack `pk`, so it reads all rows once.
   */
  found({ models, agentIds }: SearchHits): { tables: string; conditions: string[] } {
    const has = this.searched()!;
    const oneOf = (column: string, known: readonly string[] | null) =>
      known ? `${column} IN (${known.map((value) => this.bind(value)).join(', ')})` : has(column);
    const isEmpty = (known: readonly string[] | null) => known?.length === 0;
    const ofAgents = () => `SELECT h.thread_pk FROM thread_agent h${this.by('thread_agent_by_agent')}
      WHERE ${oneOf('h.agent_id', agentIds)}`;
    if (this.dialect === 'sqlite') {
      const parts = [
        `SELECT i.pk FROM thread i INDEXED BY thread_by_id WHERE ${has('i.id')}`,
        ...(isEmpty(models)
          ? []
          : [`SELECT m.pk FROM thread m INDEXED BY thread_by_model WHERE ${oneOf('m.model', models)}`]),
        ...(isEmpty(agentIds) ? [] : [ofAgents()]),
      ];
      return { tables: `(${parts.join(' UNION ')}) AS hit CROSS JOIN thread t`, conditions: ['t.pk = hit.pk'] };
    }
    const conditions = [
      has('t.id'),
      ...(isEmpty(models) ? [] : [oneOf('t.model', models)]),
      ...(isEmpty(agentIds) ? [] : [`t.pk IN (${ofAgents()})`]),
    ];
    return { tables: 'thread t', conditions: [`(${conditions.join(' OR ')})`] };
  }

  private searched(): ((column: string) => string) | null {
    const { search } = this.filter;
    return search === null ? null : new SearchedPart(this.dialect, search).condition((value) => this.bind(value));
  }

  behind(place: string, pk: string, after: ThreadPosition, { isAscending }: ThreadOrder): string {
    return `(${place}, ${pk}) ${isAscending ? '>' : '<'} (${this.bind(after.value)}, ${this.bind(after.pk)})`;
  }

  threads(index: string): string {
    return `thread t${this.by(index)}`;
  }

  agents(): string {
    return `thread_agent a${this.by('thread_agent_by_agent')}`;
  }

  private by(index: string): string {
    return this.dialect === 'sqlite' ? ` INDEXED BY ${index}` : '';
  }

  bind(value: SqlValue): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }
}
