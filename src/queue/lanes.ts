import type { Clock } from '../common/clock.js';
import { newId } from '../common/ids.js';
import type { SqlRow, SqlSession } from '../database/database.js';
import type { GroupCommit } from './group-commit.js';
import type { Lane, LaneScope, LaneTable, LeasesRepository } from './leases.repository.js';

/** The lanes of one table, which this instance claims and releases. */
export abstract class Lanes<Row extends SqlRow> {
  private readonly instance = newId();
  private claims = 0;

  protected constructor(
    protected readonly table: LaneTable,
    protected readonly leases: LeasesRepository,
    protected readonly group: GroupCommit,
    protected readonly clock: Clock,
  ) {}

  /** Call this once, before the first claim. */
  open(): Promise<void> {
    return this.leases.freeAll(this.table, this.clock.nowMs());
  }

  /** Makes all waiting lanes due. @returns false if it did not reach all */
  lookAtAll(): Promise<boolean> {
    return this.leases.lookAtAll(this.table, this.clock.nowMs());
  }

  /** The agents or accounts among these with lanes that are due. */
  findDue(among: ReadonlySet<string>): Promise<string[]> {
    return this.leases.findDue(this.table, among, this.clock.nowMs());
  }

  /** The agent or account that a lane calls. */
  calledFor({ row }: Lane<Row>): string {
    return String(row[this.table.called]);
  }

  accountOf({ row }: Lane<Row>): string {
    return String(row[this.table.account]);
  }

  /** The accounts of lanes that `claim` would take, one for each lane. */
  peek(limit: number, scope: LaneScope): Promise<string[]> {
    return this.leases.peek(this.table, scope, limit, this.clock.nowMs());
  }

  /** Takes due lanes. Costs a transaction even if there are none. */
  claim(limit: number, scope: LaneScope): Promise<Lane<Row>[]> {
    return this.group.run(async (session) => {
      const nowMs = this.clock.nowMs();
      const owner = `${this.instance}:${++this.claims}`;
      const lanes = await this.leases.claim<Row>(session, this.table, { owner, nowMs, limit, scope });
      for (const { row } of lanes) await this.prepare(session, row, nowMs);
      return lanes;
    });
  }

  renew(lanes: readonly Lane<Row>[]): Promise<void> {
    return this.leases.renew(this.table, lanes, this.clock.nowMs());
  }

  /** What must happen to a lane in the transaction that takes it. */
  protected abstract prepare(session: SqlSession, row: Row, nowMs: number): Promise<void>;
}
