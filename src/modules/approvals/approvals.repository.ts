import { Injectable } from '@nestjs/common';
import { Database, type BoundStatement, type SqlReader, type SqlValue } from '../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../database/sql-literal.js';
import type { Approval, ApprovalKind, ApprovalStatus } from './approval.entity.js';
import { ThreadVisibilityService } from '../threads/visibility/thread-visibility.service.js';

export type ApprovalKey = Pick<Approval, 'thread_pk' | 'run_no' | 'attempt' | 'step_index' | 'digest'>;

export type RunKey = Pick<Approval, 'thread_pk' | 'run_no'>;

/** The address of an approval; several may share it. */
export interface ApprovalAddress {
  traceId: string;
  step: number;
  /** Null if not given. */
  threadId: string | null;
}

export interface ApprovalFilter {
  /** Null for every status; `decided` for those closed by a person, a rule or a timeout. */
  status: ApprovalStatus | 'decided' | null;
  /** Null for both. */
  kind: ApprovalKind | null;
  agentId: string | null;
  threadId: string | null;
  traceId: string | null;
  step: number | null;
  /** Only those with at least one call decided by this rule; null for any. */
  ruleId: string | null;
  /** Only threads in which no agents but these and their sub-agents took part; null for any. */
  seenBy: readonly string[] | null;
}

/** All pending approvals. */
export const PENDING: ApprovalFilter = {
  ...{ status: 'pending', kind: null, agentId: null, threadId: null, traceId: null, step: null, ruleId: null },
  seenBy: null,
};

/** A page starts after this approval. */
export interface ApprovalPosition {
  /** When it was opened; for decided ones, when it was closed. */
  time: number;
  thread_pk: number;
  seq: number;
}

/** Changes are read after this approval. */
export type ChangePosition = Pick<Approval, 'changed_at' | 'thread_pk' | 'seq'>;

/** An approval of a page. */
export interface PagedApproval extends Approval {
  /** Its calls and decisions are too long for a page: read it separately. */
  is_long: boolean;
}

/** Most bytes of calls and decisions for an approval to be included whole in a page. */
const SHORT_BYTES = 16 * 1024;

export const DECIDED: readonly ApprovalStatus[] = ['approved', 'rejected', 'expired'];

/** Most values of `rule_id` in one statement. */
const MAX_RULE_VALUES = 100;

/** Most approvals read per address; a person cannot tell more apart anyway. */
const MAX_CANDIDATES = 100;

const KEY = ['thread_pk', 'run_no', 'attempt', 'step_index', 'digest'] as const;
const DECISION = [
  ...['status', 'decisions', 'verb', 'reason', 'decided_by', 'decided_through', 'decided_at', 'changed_at'],
  'remind_at',
  'rule_id',
] as const;
const BESIDE_KEY = [
  ...['seq', 'thread_id', 'trace_id', 'parent_trace_id', 'agent_id', 'tool_calls', 'features', 'created_at'],
  ...['kind', 'reminders', 'reminded', 'expires_at', ...DECISION],
] as const;
const COLUMNS = [...KEY, ...BESIDE_KEY];

const IS_LONG = `octet_length(tool_calls) + COALESCE(octet_length(decisions), 0) > ${SHORT_BYTES}`;
const PAGED = `SELECT ${COLUMNS.filter((column) => column !== 'tool_calls' && column !== 'decisions').join(', ')},
  ${IS_LONG} AS is_long, CASE WHEN ${IS_LONG} THEN '' ELSE tool_calls END AS tool_calls,
  CASE WHEN ${IS_LONG} THEN NULL ELSE decisions END AS decisions FROM approval`;

const INSERT = `INSERT INTO approval(${COLUMNS.join(',')}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(',')})
  ON CONFLICT(${KEY.join(',')}) DO UPDATE SET ${BESIDE_KEY.map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE approval.status = 'superseded' AND excluded.status <> 'superseded'`;
const SUPERSEDE = `UPDATE approval SET status = 'superseded', decided_through = $1, changed_at = $2, remind_at = NULL
  WHERE ${equals(KEY, 3).join(' AND ')} AND status = 'pending'`;
const REMIND = `UPDATE approval SET reminded = $1, remind_at = $2, changed_at = $3
  WHERE ${equals(KEY, 4).join(' AND ')} AND status = 'pending'`;
const DECIDE = `UPDATE approval SET ${equals(DECISION).join(', ')}
  WHERE ${equals(KEY, DECISION.length + 1).join(' AND ')}`;

@Injectable()
export class ApprovalsRepository {
  private readonly reader: SqlReader = { query: (sql, params) => this.database.read(sql, params) };

  constructor(
    private readonly database: Database,
    private readonly visibility: ThreadVisibilityService,
  ) {}

  /** Inserts an approval; replaces a superseded one of the same identity, unless this one is superseded, too. */
  insertStatement(approval: Approval): BoundStatement {
    return { sql: INSERT, params: valuesOf(approval, COLUMNS) };
  }

  supersedeStatement(key: ApprovalKey, reason: string, nowMs: number): BoundStatement {
    return { sql: SUPERSEDE, params: [reason, nowMs, ...valuesOf(key, KEY)] };
  }

  decideStatement(approval: Approval): BoundStatement {
    return { sql: DECIDE, params: valuesOf(approval, [...DECISION, ...KEY]) };
  }

  remindStatement(approval: Approval): BoundStatement {
    return { sql: REMIND, params: valuesOf(approval, ['reminded', 'remind_at', 'changed_at', ...KEY]) };
  }

  async find(reader: SqlReader, key: ApprovalKey): Promise<Approval | null> {
    const sql = `SELECT * FROM approval WHERE ${equals(KEY).join(' AND ')}`;
    const rows = await reader.query<Approval>(sql, valuesOf(key, KEY));
    return rows[0] ?? null;
  }

  findByKey(key: ApprovalKey): Promise<Approval | null> {
    return this.find(this.reader, key);
  }

  /**
   * Approvals that people decided or let expire, latest decision first.
   * @param agentIds null for all
   * @param sinceMs null for all time
   */
  decidedByPeople(
    agentIds: readonly string[] | null,
    sinceMs: number | null,
    after: ChangePosition | null,
    limit: number,
  ): Promise<PagedApproval[]> {
    const { dialect } = this.database;
    // Without the unary +, SQLite would sort all decided approvals.
    const sign = dialect === 'sqlite' ? '+' : '';
    const conditions = [`${sign}status IN ${sqlTuple(DECIDED, dialect)}`, `${sign}rule_id IS NULL`];
    if (agentIds !== null) conditions.push(`${sign}agent_id IN ${sqlTuple(agentIds, dialect)}`);
    if (sinceMs !== null) conditions.push(`changed_at >= ${sinceMs}`);
    if (after)
      conditions.push(`(changed_at, thread_pk, seq) < (${after.changed_at}, ${after.thread_pk}, ${after.seq})`);
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE ${conditions.join(' AND ')} ORDER BY changed_at DESC, thread_pk DESC, seq DESC LIMIT ${limit}`,
    );
  }

  /** A page's approval with its calls and decisions; null if deleted meanwhile. Keep only one in memory. */
  async whole(approval: PagedApproval, reader: SqlReader = this.reader): Promise<Approval | null> {
    return approval.is_long ? this.find(reader, approval) : approval;
  }

  /** Approvals of a run, newest first. */
  readOfRun({ thread_pk, run_no }: RunKey, limit: number, offset: number): Promise<PagedApproval[]> {
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE thread_pk = $1 AND run_no = $2 ORDER BY attempt DESC, seq DESC LIMIT $3 OFFSET $4`,
      [thread_pk, run_no, limit, offset],
    );
  }

  /** The same, but only those that may have a call with this id: agents may escape ids in JSON. */
  ofRunWithCall(
    reader: SqlReader,
    { thread_pk, run_no }: RunKey,
    callId: string,
    limit: number,
    offset: number,
  ): Promise<PagedApproval[]> {
    const find = this.database.dialect === 'sqlite' ? 'instr' : 'strpos';
    const texts = [JSON.stringify(callId), /^\p{ASCII}*$/u.test(callId) ? '\\u00' : '\\u'];
    if (callId.includes('/')) texts.push('\\/');
    const found = texts.map((_, i) => `${find}(tool_calls, $${i + 3}) > 0`).join(' OR ');
    return reader.query<PagedApproval>(
      `${PAGED} WHERE thread_pk = $1 AND run_no = $2 AND (${found})
       ORDER BY attempt DESC, seq DESC LIMIT ${limit} OFFSET ${offset}`,
      [thread_pk, run_no, ...texts],
    );
  }

  /**
   * Approvals that have or had an address: pending ones first, then the newest.
   * @param digest only approvals of these calls; null for all
   * @param seenBy as in `ApprovalFilter`
   */
  findByAddress(
    { traceId, step, threadId }: ApprovalAddress,
    digest: string | null,
    seenBy: readonly string[] | null = null,
  ): Promise<PagedApproval[]> {
    if (`${traceId}${threadId}${digest}`.includes('\0')) return Promise.resolve([]);
    const params: SqlValue[] = [traceId, step];
    let conditions = 'trace_id = $1 AND step_index = $2';
    if (threadId !== null) conditions += ` AND thread_id = $${params.push(threadId)}`;
    if (digest !== null) conditions += ` AND digest = $${params.push(digest)}`;
    if (seenBy) conditions += ` AND ${this.visibility.conditionOf('approval.thread_pk', seenBy)}`;
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE ${conditions}
       ORDER BY CASE status WHEN 'pending' THEN 0 ELSE 1 END, created_at DESC, thread_pk DESC, seq DESC
       LIMIT ${MAX_CANDIDATES}`,
      params,
    );
  }

  /** A page of approvals, oldest first; for decided ones, latest decision first. */
  async list(filter: ApprovalFilter, after: ApprovalPosition | null, limit: number): Promise<PagedApproval[]> {
    const conditions = await this.conditionsOf(filter);
    const isLastFirst = filter.status === 'decided';
    const order = [isLastFirst ? 'changed_at' : 'created_at', 'thread_pk', 'seq'];
    if (after) {
      const { time, thread_pk, seq } = after;
      conditions.push(`(${order.join(', ')}) ${isLastFirst ? '<' : '>'} (${time}, ${thread_pk}, ${seq})`);
    }
    const columns = order.map((column) => (isLastFirst ? `${column} DESC` : column));
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE ${conditions.join(' AND ')} ORDER BY ${columns.join(', ')} LIMIT ${limit}`,
    );
  }

  async count(filter: ApprovalFilter): Promise<number> {
    const rows = await this.database.read<{ total: number }>(
      `SELECT count(*) AS total FROM approval WHERE ${(await this.conditionsOf(filter)).join(' AND ')}`,
    );
    return rows[0]!.total;
  }

  /** How many are pending, and when the oldest was opened. */
  async summarisePending(): Promise<{ count: number; oldestMs: number | null }> {
    const [row] = await this.database.read<{ total: number; oldest: number | null }>(
      `SELECT COUNT(*) AS total, MIN(created_at) AS oldest FROM approval WHERE status = 'pending'`,
    );
    const oldest = row?.oldest ?? null;
    return { count: Number(row?.total ?? 0), oldestMs: oldest === null ? null : Number(oldest) };
  }

  /** Pending approvals whose time is up, longest overdue first. */
  findExpired(nowMs: number, limit: number): Promise<PagedApproval[]> {
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE status = 'pending' AND expires_at <= ${nowMs} ORDER BY expires_at LIMIT ${limit}`,
    );
  }

  /** Pending approvals with a due reminder, longest overdue first. */
  findReminders(nowMs: number, limit: number): Promise<PagedApproval[]> {
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE remind_at <= ${nowMs} AND status = 'pending' ORDER BY remind_at LIMIT ${limit}`,
    );
  }

  /** Whether a pending approval with an expiry or reminder was opened after this time. */
  async hasExpiringOpenedAfter(ms: number): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM approval WHERE status = 'pending' AND created_at > ${ms}
      AND (expires_at IS NOT NULL OR remind_at IS NOT NULL) LIMIT 1`;
    return (await this.database.read(sql)).length > 0;
  }

  /** Makes pending approvals with an expiry or reminder that were opened after `afterMs` count as opened at `nowMs`. */
  async restartTimeouts(afterMs: number, nowMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `UPDATE approval SET expires_at = expires_at - created_at + $1, remind_at = remind_at - created_at + $1, created_at = $1
         WHERE status = 'pending' AND created_at > $2 AND (expires_at IS NOT NULL OR remind_at IS NOT NULL)`,
        [nowMs, afterMs],
      ),
    );
  }

  /** Approvals that opened, closed or were reminded of, in the order of their changes. */
  findChangedAfter({ changed_at, thread_pk, seq }: ChangePosition, limit: number): Promise<PagedApproval[]> {
    return this.database.read<PagedApproval>(
      `${PAGED} WHERE (changed_at, thread_pk, seq) > (${changed_at}, ${thread_pk}, ${seq})
       ORDER BY changed_at, thread_pk, seq LIMIT ${limit}`,
    );
  }

  private async conditionsOf(filter: ApprovalFilter): Promise<string[]> {
    const { status, kind, agentId, threadId, traceId, step, ruleId, seenBy } = filter;
    // Stored text never has U+0000, and a statement cannot contain it.
    if (`${agentId}${threadId}${traceId}${ruleId}`.includes('\0')) return ['1 = 0'];
    const conditions = ['1 = 1'];
    const { dialect } = this.database;
    if (status !== null) {
      // SQLite keeps no statistics here: without the unary + it would search all of this status for those of one run, or sort all decided
      // ones.
      const isNarrow = threadId !== null || traceId !== null || status === 'decided';
      const column = isNarrow && dialect === 'sqlite' ? '+status' : 'status';
      conditions.push(`${column} IN ${sqlTuple(status === 'decided' ? DECIDED : [status], dialect)}`);
    }
    if (kind !== null) conditions.push(`kind = '${kind}'`);
    if (agentId !== null) conditions.push(`agent_id = ${sqlLiteral(agentId, dialect)}`);
    if (threadId !== null)
      conditions.push(`thread_pk = (SELECT pk FROM thread WHERE id = ${sqlLiteral(threadId, dialect)})`);
    if (traceId !== null) conditions.push(`trace_id = ${sqlLiteral(traceId, dialect)}`);
    if (step !== null) conditions.push(`step_index = ${step}`);
    if (ruleId !== null) conditions.push(await this.decidedBy(ruleId));
    if (seenBy) conditions.push(this.visibility.conditionOf('approval.thread_pk', seenBy));
    return conditions;
  }

  /**
   * The condition for approvals with a call that the rule decided. Nearly all name one rule, so few column values contain its id; each is
   * found by one index lookup, however many approvals there are.
   */
  private async decidedBy(ruleId: string): Promise<string> {
    const { dialect } = this.database;
    const find = dialect === 'sqlite' ? 'instr' : 'strpos';
    const isNamed = (column: string) => `${find}(' ' || ${column} || ' ', ${sqlLiteral(` ${ruleId} `, dialect)}) > 0`;
    const rows = await this.database.read<{ value: string }>(
      `WITH RECURSIVE held(value) AS (
         SELECT MIN(rule_id) FROM approval WHERE rule_id > ''
         UNION ALL
         SELECT (SELECT MIN(a.rule_id) FROM approval a WHERE a.rule_id > held.value) FROM held WHERE held.value IS NOT NULL
       ) SELECT value FROM held WHERE ${isNamed('value')} LIMIT ${MAX_RULE_VALUES + 1}`,
    );
    if (rows.length === 0) return '1 = 0';
    const values = rows.map(({ value }) => value);
    return values.length > MAX_RULE_VALUES ? isNamed('rule_id') : `rule_id IN ${sqlTuple(values, dialect)}`;
  }
}

/** Conditions or assignments with placeholders. */
function equals(columns: readonly string[], first = 1): string[] {
  return columns.map((column, i) => `${column} = $${first + i}`);
}

function valuesOf<K extends keyof Approval>(approval: Pick<Approval, K>, columns: readonly K[]): SqlValue[] {
  return columns.map((column) => approval[column]);
}
