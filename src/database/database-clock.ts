import { Clock } from '../common/clock.js';
import { PeriodicJob } from '../common/periodic-job.js';
import type { SqlReader } from './database.js';

/** PostgreSQL's clock, in milliseconds since 1970. */
export const POSTGRES_NOW = 'FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint';

const REFRESH_MS = 10_000;

/**
 * The time shared by all servers on one database, because each compares times that others wrote. It is the database's clock, advanced by
 * monotonic time, so that setting this machine's clock does not change it. Before `follow`, or in a single process, it is this machine's
 * clock.
 */
export class DatabaseClock extends Clock {
  /** How far the database's clock is ahead of this process's monotonic time; null before `follow`. */
  private aheadMs: number | null = null;
  private measuring?: PeriodicJob;

  override nowMs(): number {
    return this.aheadMs === null ? super.nowMs() : Math.floor(performance.now() + this.aheadMs);
  }

  /**
   * Measures now and every 10 s; failed measurements change nothing.
   * @returns by how many milliseconds this machine's clock is ahead of the database's
   * @throws as `reader`
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

  /** The time was read between request and response, so an offset within those bounds is right. */
  private async measure(reader: Pick<SqlReader, 'query'>): Promise<void> {
    const beforeMs = performance.now();
    const [row] = await reader.query<{ now: unknown }>(`SELECT ${POSTGRES_NOW} AS now`);
    const afterMs = performance.now();
    const thereMs = Number(row!.now);
    const [least, most] = [thereMs - afterMs, thereMs + 1 - beforeMs];
    this.aheadMs = this.aheadMs === null ? (least + most) / 2 : Math.min(Math.max(this.aheadMs, least), most);
  }
}
