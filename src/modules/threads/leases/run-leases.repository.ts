import { Injectable } from '@nestjs/common';
import { POSTGRES_NOW } from '../../../database/database-clock.js';
import { Database, type SqlReader } from '../../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../../database/sql-literal.js';
import type { RunLease } from './run-lease.entity.js';

const PLACES_AT_ONCE = 200;

@Injectable()
export class RunLeasesRepository {
  constructor(private readonly database: Database) {}

  /** Oldest claim first. */
  ofTraces(reader: SqlReader, threadPk: number, traceIds: readonly string[]): Promise<RunLease[]> {
    return reader.query<RunLease>(
      `SELECT * FROM run_lease WHERE thread_pk = ${threadPk} AND trace_id IN ${sqlTuple(traceIds, this.database.dialect)} ORDER BY lease_no`,
    );
  }

  /** In any order. */
  async ofPlaces(
    reader: SqlReader,
    places: readonly (readonly [threadPk: number, traceId: string])[],
  ): Promise<RunLease[]> {
    const found: RunLease[] = [];
    for (let from = 0; from < places.length; from += PLACES_AT_ONCE) {
      const some = places
        .slice(from, from + PLACES_AT_ONCE)
        .map(([pk, id]) => `(${pk}, ${sqlLiteral(id, this.database.dialect)})`);
      const sql = `SELECT * FROM run_lease WHERE (thread_pk, trace_id) IN (VALUES ${some.join(', ')}) ORDER BY lease_no`;
      found.push(...(await reader.query<RunLease>(sql)));
    }
    return found;
  }

  /** The number of the thread, if it ever had a lease. */
  async leasedThread(reader: SqlReader, threadId: string): Promise<number | null> {
    const [row] = await reader.query<{ pk: number }>(`SELECT pk FROM thread WHERE id = $1 AND last_fence > 0`, [
      threadId,
    ]);
    return row?.pk ?? null;
  }

  /** The threads that ever had a lease. */
  async leasedThreads(reader: SqlReader, pks: readonly number[]): Promise<ReadonlySet<number>> {
    const leased = new Set<number>();
    for (let from = 0; from < pks.length; from += PLACES_AT_ONCE) {
      const some = pks.slice(from, from + PLACES_AT_ONCE);
      const sql = `SELECT pk FROM thread WHERE pk IN (${some.join(', ')}) AND last_fence > 0`;
      for (const { pk } of await reader.query<{ pk: number }>(sql)) leased.add(pk);
    }
    return leased;
  }

  /** The last fence of recently deleted threads with this id, even if clocks jumped; 0 for none. */
  async lastFenceOfDeleted(reader: SqlReader, threadId: string): Promise<number> {
    const [row] = await reader.query<{ fence: number | null }>(
      `SELECT MAX(last_fence) AS fence FROM deletion_notice WHERE thread_id = $1 AND last_fence > 0`,
      [threadId],
    );
    return row?.fence ?? 0;
  }

  /** The time after the transaction got its locks, by the shared database's clock. @param nowMs the server's time */
  async timeOf(reader: SqlReader, nowMs: number): Promise<number> {
    if (this.database.dialect === 'sqlite') return nowMs;
    const [row] = await reader.query<{ now: number }>(`SELECT ${POSTGRES_NOW} AS now`);
    return row!.now;
  }
}
