import { Clock } from '../common/clock.js';
import { PeriodicJob } from '../common/periodic-job.js';
import type { SqlReader } from './database.js';

/** The clock of PostgreSQL, in milliseconds since 1970. */
export const POSTGRES_NOW = 'FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint';

const REFRESH_MS = 10_000;

/**
 * The time that all servers on one database share: leases, expiries and signs of life of one are judged by the others. It is the clock of
 * the database, carried on by the time that has passed, so that nobody who sets the clock of this machine changes it. Until it is told
 * to follow a database, and where this process is the only one, it is the clock of this machine.
 */
export class DatabaseClock extends Clock {
  /** By how much the clock of the database is ahead of the time that this process has run for; null while none is followed. */
  private aheadMs: number | null = null;
  private measuring?: PeriodicJob;

  override nowMs(): number {
    return this.aheadMs === null ? super.nowMs() : Math.floor(performance.now() + this.aheadMs);
  }

  /**
   * Measures now and every 10 s; a measurement that fails leaves things as they are.
   * @returns by how many milliseconds the clock of this machine is ahead of the database's
   * @throws as `reader` does
   */
  async follow(reader: Pick<SqlReader, 'query'>): Promise<number> {
    await this.measure(reader);
    this.measuring = new PeriodicJob(
      () => this.measure(reader),
      () => undefined,
    );
    this.measuring.start(REFRESH_MS);
    return super.nowMs() - this.nowMs();
  }

  stop(): void {
    void this.measuring?.stop();
  }

  /** Any moment between question and answer may be the one that was told, so what lies between them is right already. */
  private async measure(reader: Pick<SqlReader, 'query'>): Promise<void> {
    const beforeMs = performance.now();
    const [row] = await reader.query<{ now: unknown }>(`SELECT ${POSTGRES_NOW} AS now`);
    const afterMs = performance.now();
    const thereMs = Number(row!.now);
    const [least, most] = [thereMs - afterMs, thereMs + 1 - beforeMs];
    this.aheadMs = this.aheadMs === null ? (least + most) / 2 : Math.min(Math.max(this.aheadMs, least), most);
  }
}
