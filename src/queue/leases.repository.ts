import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../common/clock-jumps.js';
import { DispatchConfig } from '../config/dispatch.config.js';
import { Database, type SqlRow, type SqlSession, type SqlValue } from '../database/database.js';
import { sqlLiteral, sqlTuple } from '../database/sql-literal.js';

/** A table of lanes: queues that one instance at a time works on. */
export interface LaneTable {
  /** Has the columns `work_at`, `lease_owner` and `lease_until`. */
  name: string;
  keys: readonly string[];
  /** The column with the agent or account that a lane calls. */
  called: string;
  /** The column with the account that a lane belongs to. */
  account: string;
}

/** Selects lanes by the agent or account they call, and by the account they belong to. */
export interface LaneScope {
  notCalling: ReadonlySet<string>;
  /** Replaces `notCalling`. */
  calling?: string;
  notOf: ReadonlySet<string>;
  /** Replaces `notOf`. */
  of?: string;
}

/** A lane taken by this instance. */
export interface Lane<Row extends SqlRow = SqlRow> {
  row: Row;
  /** Identifies this claim: a later one has another name, even by the same instance. */
  owner: string;
}

const IS_DUE = 'work_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)';

/**
 * Leases on lanes. While a lane is taken, its `work_at` is the end of the lease, so that a dead holder's lane becomes due by itself. If
 * somebody sets another `work_at` meanwhile, the lane is due then, whatever its holder wants.
 */
@Injectable()
export class LeasesRepository {
  /** How long a dead instance keeps a lane. Live ones renew their leases while they work. */
  private readonly leaseMs: number;

  constructor(
    private readonly database: Database,
    config: DispatchConfig,
  ) {
    this.leaseMs = config.leaseSeconds * 1000;
  }

  /** Only PostgreSQL has other instances, whose transactions lock rows. */
  private get skipLocked(): string {
    return this.database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
  }

  /** On SQLite, with its single process: frees what the previous process held. */
  async freeAll({ name }: LaneTable, nowMs: number): Promise<void> {
    if (this.database.isShared) return;
    await this.database.transaction((session) =>
      session.query(
        `UPDATE ${name} SET work_at = $1, lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL`,
        [nowMs],
      ),
    );
  }

  /**
   * Makes all lanes due now and lets no lease last longer than one taken now, because their times come from before the clock was set back.
   * Whoever looks at a lane restarts its wait if needed. Skips rows that others lock.
   * @returns false if such a row would wait longer than a lease lasts
   */
  async lookAtAll({ name, keys }: LaneTable, nowMs: number): Promise<boolean> {
    const until = nowMs + this.leaseMs;
    const lane = keys.join(', ');
    return this.database.transaction(async (session) => {
      await session.query(
        `UPDATE ${name} SET work_at = CASE WHEN work_at > $1 THEN $1 ELSE work_at END,
           lease_until = CASE WHEN lease_until > $2 THEN $2 ELSE lease_until END
         WHERE (${lane}) IN (SELECT ${lane} FROM ${name} WHERE work_at > $1 OR lease_until > $2 ${this.skipLocked})`,
        [nowMs, until],
      );
      // A lease taken or renewed since this began ends somewhat later than `until`.
      const left = await session.query(
        `SELECT 1 AS kept_back FROM ${name} WHERE work_at > $1 OR lease_until > $1 LIMIT 1`,
        [until + CLOCK_TOLERANCE_MS],
      );
      return left.length === 0;
    });
  }

  /** The accounts of the most overdue lanes, one for each lane, up to `limit`. Empty if there is nothing to claim. */
  async peek(table: LaneTable, scope: LaneScope, limit: number, nowMs: number): Promise<string[]> {
    const rows = await this.database.read<{ account: string }>(
      `SELECT ${table.account} AS account FROM ${table.name} WHERE ${IS_DUE} ${this.within(scope, table)}
       ORDER BY work_at LIMIT $2`,
      [nowMs, limit],
    );
    return rows.map((row) => row.account);
  }

  /** The agents or accounts among these with lanes that are due. */
  async findDue({ name, called }: LaneTable, among: ReadonlySet<string>, nowMs: number): Promise<string[]> {
    const rows = await this.database.read<{ called: string }>(
      `SELECT DISTINCT ${called} AS called FROM ${name} WHERE ${IS_DUE} AND ${called} IN ${sqlTuple([...among], this.database.dialect)}`,
      [nowMs],
    );
    return rows.map((row) => row.called);
  }

  /** Takes due lanes, the most overdue first, except those that others are taking. */
  async claim<Row extends SqlRow>(
    session: SqlSession,
    table: LaneTable,
    { owner, nowMs, limit, scope }: { owner: string; nowMs: number; limit: number; scope: LaneScope },
  ): Promise<Lane<Row>[]> {
    const { name, keys } = table;
    const rows = await session.query<Row>(
      `SELECT * FROM ${name} WHERE ${IS_DUE} ${this.within(scope, table)}
       ORDER BY work_at LIMIT $2 ${this.skipLocked}`,
      [nowMs, limit],
    );
    const until = nowMs + this.leaseMs;
    for (const row of rows) {
      await session.query(
        `UPDATE ${name} SET lease_owner = $1, lease_until = $2, work_at = $2 WHERE ${matching(keys, 3)}`,
        [owner, until, ...valuesOf(keys, row)],
      );
    }
    return rows.map((row) => ({ row, owner }));
  }

  /** Skips lanes that others lock: nobody can take them meanwhile, and they must not delay the other renewals. */
  async renew({ name, keys }: LaneTable, lanes: readonly Lane[], nowMs: number): Promise<void> {
    const lane = keys.join(', ');
    await this.database.transaction(async (session) => {
      for (const { row, owner } of lanes) {
        await session.query(
          `UPDATE ${name} SET work_at = CASE WHEN work_at = lease_until THEN $1 ELSE work_at END, lease_until = $1
           WHERE (${lane}) IN (SELECT ${lane} FROM ${name}
             WHERE lease_owner = $2 AND ${matching(keys, 3)} ${this.skipLocked})`,
          [nowMs + this.leaseMs, owner, ...valuesOf(keys, row)],
        );
      }
    });
  }

  /**
   * Locks the lane for the rest of the transaction, so that new work is added before or after it.
   * @returns false if another instance has taken it over, or it is gone
   */
  async lock(session: SqlSession, { name, keys }: LaneTable, { row, owner }: Lane): Promise<boolean> {
    const locking = this.database.dialect === 'postgres' ? 'FOR UPDATE' : '';
    const rows = await session.query(
      `SELECT 1 AS held FROM ${name} WHERE lease_owner = $1 AND ${matching(keys, 2)} ${locking}`,
      [owner, ...valuesOf(keys, row)],
    );
    return rows.length > 0;
  }

  /**
   * Releases a lane.
   * @param workAt when to look at it next, rounded up to a millisecond; null to wait for new work
   * @returns when it will be due
   */
  async release(
    session: SqlSession,
    { name, keys }: LaneTable,
    { row, owner }: Lane,
    workAt: number | null,
  ): Promise<number | null> {
    const rows = await session.query<{ work_at: number | null }>(
      `UPDATE ${name} SET work_at = CASE WHEN work_at = lease_until THEN $1 ELSE work_at END,
         lease_owner = NULL, lease_until = NULL
       WHERE lease_owner = $2 AND ${matching(keys, 3)} RETURNING work_at`,
      [workAt === null ? null : Math.ceil(workAt), owner, ...valuesOf(keys, row)],
    );
    const next = rows[0]?.work_at ?? null;
    return next === null ? null : Number(next);
  }

  private within({ notCalling, calling, notOf, of }: LaneScope, { called, account }: LaneTable): string {
    return `${this.among(called, calling, notCalling)} ${this.among(account, of, notOf)}`;
  }

  private among(column: string, only: string | undefined, except: ReadonlySet<string>): string {
    const { dialect } = this.database;
    if (only !== undefined) return `AND ${column} = ${sqlLiteral(only, dialect)}`;
    return except.size === 0 ? '' : `AND ${column} NOT IN ${sqlTuple([...except], dialect)}`;
  }
}

function matching(keys: readonly string[], from: number): string {
  return keys.map((key, i) => `${key} = $${from + i}`).join(' AND ');
}

function valuesOf(keys: readonly string[], row: SqlRow): SqlValue[] {
  return keys.map((key) => row[key] as SqlValue);
}
