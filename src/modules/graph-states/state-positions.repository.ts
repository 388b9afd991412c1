import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../common/bound-agents.js';
import { rangeOf, type IdRange } from '../../common/id-range.js';
import { speaksForSql } from '../../database/bound-agents.sql.js';
import { Database, type Dialect, type SqlValue } from '../../database/database.js';
import { distinctValuesSql } from '../../database/distinct-values.sql.js';
import { sqlLiteral } from '../../database/sql-literal.js';

/** Null means all. */
export interface StateFilter {
  threadId: string | null;
  threadPrefix: string | null;
  ns: string | null;
  checkpointId: string | null;
  agent: string | null;
  /** The agents that the caller may speak for; see `speaksFor`. */
  agents: readonly string[] | null;
  before: string | null;
  /** Digests of members that the metadata must have. */
  members: readonly string[];
}

export interface StatePosition {
  position: string;
  thread_pk: number;
  place: string;
}

/** Threads or agents whose newest checkpoints are looked up one by one; with more, the common order is read. */
const FEW = 200;
/** Agents searched for those of a token. */
const MAX_AGENTS = 1000;

/** Checkpoints that are adjacent in an index, in list order. */
interface Lane {
  column: 'thread_pk' | 'agent';
  value: SqlValue;
}

/** Finds positions of checkpoints. Along one index, no list reads more of them than its filters exclude. */
@Injectable()
export class StatePositionsRepository {
  constructor(private readonly database: Database) {}

  /** Highest positions first. */
  async newest(filter: StateFilter, after: StatePosition | null, limit: number): Promise<StatePosition[]> {
    const { threadId, threadPrefix, agent, agents } = filter;
    if (agent !== null && agents !== null && !speaksFor(agents, agent)) return [];
    if (threadPrefix !== null && !isPartOfId(threadPrefix)) return [];
    const range = threadPrefix === null || threadPrefix === '' ? null : rangeOf(threadPrefix);
    const lanes = threadId === null ? await this.lanesOf(filter, range) : null;
    if (lanes?.length === 0) return [];
    const params: SqlValue[] = [];
    const bind = (value: SqlValue) => `$${params.push(value)}`;
    const conditions = conditionsOf(filter, after, this.database.dialect, bind);
    const threadOf = threadId === null ? '' : `t.id = ${bind(threadId)}`;
    const thread = rangeSql(range, bind);
    // A thread that is being deleted no longer has any.
    if (threadId !== null) conditions.push(`x.thread_pk = (SELECT t.pk FROM thread t WHERE ${threadOf}${thread})`);
    else conditions.push(`EXISTS (SELECT 1 FROM thread t WHERE t.pk = x.thread_pk${thread})`);
    return this.database.read<StatePosition>(this.statement(lanes, conditions, limit), params);
  }

  /** Null if there are too many, or without a filter: then the common order is read. */
  private async lanesOf({ agent, agents }: StateFilter, range: IdRange | null): Promise<Lane[] | null> {
    const threads = range && (await this.threadsIn(range));
    if (threads && threads.length <= FEW) return threads.map((value) => ({ column: 'thread_pk', value }));
    if (agent !== null) return [{ column: 'agent', value: agent }];
    const own = agents && (await this.agentsOf(agents));
    return own && own.length <= FEW ? own.map((value) => ({ column: 'agent', value })) : null;
  }

  /** Thread numbers, at most a few more than `FEW`. */
  private async threadsIn(range: IdRange): Promise<number[]> {
    const params: SqlValue[] = [];
    const condition = rangeSql(range, (value) => `$${params.push(value)}`);
    const sql = `SELECT t.pk FROM thread t WHERE 1 = 1${condition} ORDER BY t.id LIMIT ${FEW + 1}`;
    return (await this.database.read<{ pk: number }>(sql, params)).map(({ pk }) => pk);
  }

  /** The agents with checkpoints that the caller may speak for, one index seek each; null if too many. */
  private async agentsOf(agents: readonly string[]): Promise<string[] | null> {
    const source = { table: 'state_checkpoint', column: 'agent', index: 'state_checkpoint_of_agent' };
    const sql = distinctValuesSql(this.database.dialect, source, MAX_AGENTS + 1);
    const rows = await this.database.read<{ value: string }>(sql);
    if (rows.length > MAX_AGENTS) return null;
    return rows.map(({ value }) => value).filter((id) => speaksFor(agents, id));
  }

  private statement(lanes: readonly Lane[] | null, conditions: readonly string[], limit: number): string {
    const { dialect } = this.database;
    const [first, ...others] = lanes ?? [];
    const only = first && others.length === 0 ? [laneSql(first.column, sqlLiteral(first.value, dialect))] : [];
    const of = (keys: string, lane: readonly string[]) =>
      `SELECT ${keys} FROM state_checkpoint x WHERE ${[...lane, ...conditions].join(' AND ')} ${orderOf('x')} LIMIT ${limit}`;
    if (!first || others.length === 0) return of('x.position, x.thread_pk, x.place', only);
    const values = `(VALUES ${lanes!.map(({ value }) => `(${sqlLiteral(value, dialect)})`).join(',')})`;
    const end = `${orderOf('s')} LIMIT ${limit}`;
    if (dialect === 'sqlite') {
      const newest = of('x.rowid', [laneSql(first.column, 'l.column1')]);
      return `SELECT s.position, s.thread_pk, s.place FROM ${values} l CROSS JOIN state_checkpoint s WHERE s.rowid IN (${newest}) ${end}`;
    }
    const newest = of('x.position, x.thread_pk, x.place', [laneSql(first.column, 'l.value')]);
    return `SELECT s.position, s.thread_pk, s.place FROM ${values} l(value) CROSS JOIN LATERAL (${newest}) s ${end}`;
  }
}

function laneSql(column: Lane['column'], value: string): string {
  return `x.${column} = ${value}`;
}

function orderOf(row: string): string {
  return `ORDER BY ${row}.position DESC, ${row}.thread_pk DESC, ${row}.place DESC`;
}

/** Conditions for a row `x`. */
function conditionsOf(
  { ns, checkpointId, agent, agents, before, members }: StateFilter,
  after: StatePosition | null,
  dialect: Dialect,
  bind: (value: SqlValue) => string,
): string[] {
  const conditions: string[] = [];
  if (after) {
    const { position, thread_pk, place } = after;
    const from = bind(position);
    // For the index, which cannot use the row comparison.
    conditions.push(`x.position <= ${from}`);
    conditions.push(`(x.position, x.thread_pk, x.place) < (${from}, ${bind(thread_pk)}, ${bind(place)})`);
  }
  if (ns !== null) conditions.push(`x.ns = ${bind(ns)}`);
  if (checkpointId !== null) conditions.push(`x.checkpoint_id = ${bind(checkpointId)}`);
  if (agent !== null) conditions.push(`x.agent = ${bind(agent)}`);
  if (agents !== null) conditions.push(speaksForSql('x.agent', agents, dialect));
  if (before !== null) conditions.push(`x.position < ${bind(before)}`);
  for (const digest of members) conditions.push(`x.members LIKE ${bind(`%${digest}%`)}`);
  return conditions;
}

function rangeSql(range: IdRange | null, bind: (value: SqlValue) => string): string {
  if (!range) return '';
  const from = ` AND t.id >= ${bind(range.from)}`;
  return range.before === null ? from : `${from} AND t.id < ${bind(range.before)}`;
}

function isPartOfId(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
