import { Injectable } from '@nestjs/common';
import { sqlTuple } from '../../database/sql-literal.js';
import { Database, type BoundStatement, type SqlReader, type SqlValue } from '../../database/database.js';
import type { Effect, EffectState } from './effect.entity.js';
import { ThreadVisibilityService } from '../threads/visibility/thread-visibility.service.js';

export interface EffectFilter {
  /** Null for every state; `undecided` for started writes, which may be in doubt; `decided` for those that people settled. */
  state: EffectState | 'undecided' | 'decided' | null;
  /** Null for all threads. */
  threadPk: number | null;
  traceId: string | null;
  /** An agent's id up to its first `:`. */
  agent: string | null;
  /** The only agents, each with its sub-agents, that may have taken part in the thread; null for any. */
  seenBy: readonly string[] | null;
}

/** Started writes, which may be in doubt; indexed by `effect_undecided`. */
const IS_UNDECIDED = `state = 'started' AND kind = 'write'`;

/** Settled by people; indexed by `effect_decided`. */
const IS_DECIDED = 'decided_by IS NOT NULL AND settled_at IS NOT NULL';

/** The effect before a page. */
export interface EffectPosition extends Pick<Effect, 'thread_pk' | 'seq'> {
  /** When it was claimed; of decided ones, when it was settled. */
  time: number;
}

/** The long parts of an effect, exact JSON. */
export type EffectTexts = Pick<Effect, 'key' | 'args' | 'result' | 'error'>;

const KEY = ['thread_pk', 'agent', 'key'] as const;
const BESIDE_KEY = [
  ...['seq', 'rev', 'thread_id', 'trace_id', 'agent_id', 'tool', 'kind', 'args', 'args_digest', 'call_id'],
  ...['state', 'attempt', 'claim_id', 'holder', 'is_leased', 'lease_trace', 'fence', 'doubt_after_seconds'],
  ...['is_unknown', 'is_met', 'started_at', 'settled_at', 'settled_by', 'result', 'result_omitted', 'error'],
  ...['decided_by', 'reason', 'changed_at'],
] as const satisfies readonly (keyof Effect)[];
const COLUMNS = [...KEY, ...BESIDE_KEY];
const BOOLEANS: readonly (keyof Effect)[] = ['is_leased', 'is_unknown', 'is_met', 'result_omitted'];
const SAVE = `INSERT INTO effect(${COLUMNS.join(',')}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(',')})
  ON CONFLICT(${KEY.join(',')}) DO UPDATE SET ${BESIDE_KEY.map((column) => `${column} = excluded.${column}`).join(', ')}`;

const TEXTS = ['args', 'result', 'error'] as const satisfies readonly (keyof Effect)[];
const LONG: readonly (keyof Effect)[] = TEXTS;
const OUTLINE = COLUMNS.map((column) => (LONG.includes(column) ? `NULL AS ${column}` : column));
const UNDECIDED = [
  ...['thread_pk', 'seq', 'attempt', 'state', 'kind', 'is_unknown', 'is_met', 'is_leased', 'lease_trace', 'fence'],
  ...['trace_id', 'agent', 'agent_id', 'started_at', 'doubt_after_seconds'],
] as const satisfies readonly (keyof Effect)[];

/** What identifies an effect and decides on its doubt. */
export type UndecidedEffect = Pick<Effect, (typeof UNDECIDED)[number]>;

/** The most agents whose effects with one key are read. */
const MAX_AGENTS = 100;

@Injectable()
export class EffectsRepository {
  constructor(
    private readonly database: Database,
    private readonly visibility: ThreadVisibilityService,
  ) {}

  /** Adds the effect or replaces the one with its key. */
  saveStatement(effect: Effect): BoundStatement {
    // SQLite returns booleans as numbers, which PostgreSQL rejects.
    const valueOf = (column: keyof Effect) => (BOOLEANS.includes(column) ? Boolean(effect[column]) : effect[column]);
    return { sql: SAVE, params: COLUMNS.map(valueOf) };
  }

  async find(reader: SqlReader, threadPk: number, agent: string, key: string): Promise<Effect | null> {
    const sql = `SELECT * FROM effect WHERE thread_pk = $1 AND agent = $2 AND key = $3`;
    const [row] = await reader.query<Effect>(sql, [threadPk, agent, key]);
    return row ?? null;
  }

  /** All agents' effects with a key, sorted by agent. */
  findByKey(reader: SqlReader, threadPk: number, key: string): Promise<Effect[]> {
    const sql = `SELECT * FROM effect WHERE thread_pk = $1 AND key = $2 ORDER BY agent LIMIT ${MAX_AGENTS}`;
    return reader.query<Effect>(sql, [threadPk, key]);
  }

  async threadPk(threadId: string): Promise<number | null> {
    if (threadId.includes('\0')) return null;
    const [row] = await this.database.read<{ pk: number }>('SELECT pk FROM thread WHERE id = $1', [threadId]);
    return row?.pk ?? null;
  }

  /** Started writes, which may be in doubt, oldest claim first. @param after the effect before the page; null for the first page */
  undecided(limit: number, after: EffectPosition | null = null): Promise<UndecidedEffect[]> {
    const behind = after ? ` AND (started_at, thread_pk, seq) > (${after.time}, ${after.thread_pk}, ${after.seq})` : '';
    return this.database.read<UndecidedEffect>(
      `SELECT ${UNDECIDED.join(', ')} FROM effect WHERE ${IS_UNDECIDED}${behind}
       ORDER BY started_at, thread_pk, seq LIMIT ${limit}`,
    );
  }

  /** In any order. */
  undecidedOf(threadPks: readonly number[]): Promise<UndecidedEffect[]> {
    return this.database.read<UndecidedEffect>(
      `SELECT ${UNDECIDED.join(', ')} FROM effect${this.byUndecided} WHERE thread_pk IN ${sqlTuple(threadPks)} AND ${IS_UNDECIDED}`,
    );
  }

  /** SQL condition: whether a thread has one. */
  hasUndecidedSql(threadPk: string): string {
    return `EXISTS (SELECT 1 FROM effect${this.byUndecided} WHERE effect.thread_pk = ${threadPk} AND ${IS_UNDECIDED})`;
  }

  /** Without statistics, SQLite would read all started effects. */
  private get byUndecided(): string {
    return this.database.dialect === 'sqlite' ? ' INDEXED BY effect_undecided' : '';
  }

  /** A thread's effects without their long parts, oldest claim first. */
  summariesOf(threadPk: number): Promise<Effect[]> {
    return this.database.read<Effect>(`SELECT ${OUTLINE.join(', ')} FROM effect WHERE thread_pk = $1 ORDER BY seq`, [
      threadPk,
    ]);
  }

  /** By its permanent number; null if it is gone. */
  async bySeq(threadPk: number, seq: number): Promise<Effect | null> {
    const sql = 'SELECT * FROM effect WHERE thread_pk = $1 AND seq = $2';
    const [row] = await this.database.read<Effect>(sql, [threadPk, seq]);
    return row ?? null;
  }

  /** Outside of transactions. */
  readByKey(threadPk: number, key: string): Promise<Effect[]> {
    return this.findByKey(this.database.reader, threadPk, key);
  }

  /** Oldest claim first; decided ones latest decision first. */
  list(filter: EffectFilter, after: EffectPosition | null, limit: number): Promise<Effect[]> {
    const params: SqlValue[] = [];
    const conditions = this.conditionsOf(filter, params);
    const isLastFirst = filter.state === 'decided';
    const order = [isLastFirst ? 'settled_at' : 'started_at', 'thread_pk', 'seq'];
    if (after) {
      const { time, thread_pk, seq } = after;
      conditions.push(`(${order.join(', ')}) ${isLastFirst ? '<' : '>'} (${time}, ${thread_pk}, ${seq})`);
    }
    const columns = order.map((column) => (isLastFirst ? `${column} DESC` : column));
    return this.database.read<Effect>(
      `SELECT * FROM effect WHERE ${conditions.join(' AND ')} ORDER BY ${columns.join(', ')} LIMIT ${limit}`,
      params,
    );
  }

  /** An agent's last effects in a thread, newest first, without arguments, result and error. */
  outlinesOf(threadPk: number, agent: string, limit: number): Promise<Effect[]> {
    return this.database.read<Effect>(
      `SELECT ${OUTLINE.join(', ')} FROM effect WHERE thread_pk = $1 AND agent = $2 ORDER BY seq DESC LIMIT ${limit}`,
      [threadPk, agent],
    );
  }

  /** The agent's earlier, unsettled effects in the thread, as `outlinesOf`. */
  openOutlinesBefore({ thread_pk, agent, seq }: Pick<Effect, 'thread_pk' | 'agent' | 'seq'>): Promise<Effect[]> {
    return this.database.read<Effect>(
      `SELECT ${OUTLINE.join(', ')} FROM effect WHERE thread_pk = $1 AND agent = $2 AND seq < $3 AND state = 'started'
       ORDER BY seq DESC`,
      [thread_pk, agent, seq],
    );
  }

  /** What the outlines lack. */
  textsOf(threadPk: number, agent: string, keys: readonly string[]): Promise<EffectTexts[]> {
    const places = keys.map((_, i) => `$${i + 3}`).join(', ');
    return this.database.read<EffectTexts>(
      `SELECT key, ${TEXTS.join(', ')} FROM effect WHERE thread_pk = $1 AND agent = $2 AND key IN (${places})`,
      [threadPk, agent, ...keys],
    );
  }

  private conditionsOf({ state, threadPk, traceId, agent, seenBy }: EffectFilter, params: SqlValue[]): string[] {
    // Stored text never holds U+0000, and a statement cannot contain it.
    if (`${traceId}${agent}`.includes('\0')) return ['1 = 0'];
    const conditions = ['1 = 1'];
    if (threadPk !== null) conditions.push(`thread_pk = ${threadPk}`);
    if (state === 'decided') conditions.push(IS_DECIDED);
    else if (state !== null) {
      // Without statistics, SQLite would read all effects of this state for those of one thread; the plus sign prevents that.
      const column = threadPk !== null && this.database.dialect === 'sqlite' ? '+state' : 'state';
      conditions.push(`${column} = $${params.push(state === 'undecided' ? 'started' : state)}`);
    }
    if (state === 'undecided') conditions.push(`kind = 'write'`);
    if (traceId !== null) conditions.push(`trace_id = $${params.push(traceId)}`);
    if (agent !== null) conditions.push(`agent = $${params.push(agent)}`);
    if (seenBy) conditions.push(this.visibility.conditionOf('effect.thread_pk', seenBy));
    return conditions;
  }
}
