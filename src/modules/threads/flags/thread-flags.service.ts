import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { ENDED_STATUSES } from '../../../common/contract/run-status.js';
import { RunsConfig } from '../../../config/runs.config.js';
import { Database } from '../../../database/database.js';
import { distinctValuesSql } from '../../../database/distinct-values.sql.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { silentRuns, type OpenRun } from './open-runs.js';
import { isSilentSql, isUnderWaySql, wasHeldSql } from './silence.sql.js';
import type { EffectDoubts, FlagColumns, FlaggedRun, Flags, SignOfLife } from './flags.contract.js';

/** Statuses are free text: silence is looked for in at most this many distinct ones. */
const MAX_STATUSES = 1000;
const NONE: ReadonlySet<number> = new Set();

type OpenRunRow = Omit<OpenRun, 'isHeard' | 'isAttended'> & {
  is_heard: boolean | number;
  is_attended: boolean | number;
};

/** Tells which threads and runs are silent or have an effect in doubt. Computed on each request. */
@Injectable()
export class ThreadFlagsService {
  private readonly signs: SignOfLife[] = [];
  private doubts: EffectDoubts | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: RunsConfig,
  ) {}

  addSign(sign: SignOfLife): void {
    this.signs.push(sign);
  }

  /** Called once, by the feature that keeps effects. */
  setDoubts(doubts: EffectDoubts): void {
    this.doubts = doubts;
  }

  /** Earlier signs of life do not count. */
  silentBeforeMs(): number {
    return this.clock.nowMs() - this.config.silentAfterSeconds * 1000;
  }

  /** SQL of `FlagColumns` for a thread `t`. @param sinceMs SQL for `silentBeforeMs` */
  columns(sinceMs: string): string {
    return `${this.isSilentSql(sinceMs)} AS is_silent, ${this.doubts?.undecidedSql('t.pk') ?? 'FALSE'} AS is_undecided`;
  }

  isSilentSql(sinceMs: string): string {
    return isSilentSql(this.signs, sinceMs);
  }

  /** The flags of threads, by thread number, from rows with the flag columns. */
  async flagsOf(rows: readonly (FlagColumns & { thread_pk: number })[]): Promise<(pk: number) => Flags> {
    const undecided = rows.filter(({ is_undecided }) => is_undecided).map(({ thread_pk }) => thread_pk);
    const inDoubt = undecided.length === 0 ? NONE : await this.threadsInDoubt(undecided);
    const silent = new Set(rows.filter(({ is_silent }) => is_silent).map(({ thread_pk }) => thread_pk));
    return (pk) => ({ isSilent: silent.has(pk), isInDoubt: inDoubt.has(pk) });
  }

  /** @param among null for all threads */
  async threadsInDoubt(among: readonly number[] | null): Promise<ReadonlySet<number>> {
    return (await this.doubts?.threadsInDoubt(among)) ?? NONE;
  }

  /** The threads' statuses that mean "in progress": one index seek per status. */
  async statusesUnderWay(): Promise<string[]> {
    const source = { table: 'thread', column: 'status', index: 'thread_by_status' };
    const sql = distinctValuesSql(this.database.dialect, source, MAX_STATUSES);
    const rows = await this.database.read<{ value: string }>(
      `SELECT value FROM (${sql}) AS known WHERE ${isUnderWaySql('value')}`,
    );
    return rows.map(({ value }) => value);
  }

  /** The flags of a thread's runs, by run number. */
  async flagsOfRuns(threadPk: number, runs: readonly FlaggedRun[]): Promise<(runNo: number) => Flags> {
    const [silent, inDoubt] = await Promise.all([
      this.openRuns(threadPk).then(silentRuns),
      this.doubts?.runsInDoubt(threadPk, runs) ?? NONE,
    ]);
    return (runNo) => ({ isSilent: silent.has(runNo), isInDoubt: inDoubt.has(runNo) });
  }

  private async openRuns(threadPk: number): Promise<OpenRun[]> {
    const isLeased = `EXISTS (SELECT 1 FROM run_lease l WHERE l.thread_pk = r.thread_pk AND l.trace_id = r.trace_id
      AND l.run_no IN (0, r.run_no) AND ${wasHeldSql('$1')})`;
    const heard = [
      'r.updated_at > $1',
      // The run's row changes only with its state.
      `COALESCE((SELECT c.updated_at FROM checkpoint c WHERE c.thread_pk = r.thread_pk AND c.run_no = r.run_no
        ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1), 0) > $1`,
      isLeased,
    ];
    const attended = [isLeased, ...this.signs.map((sign) => sign.sql('r.agent_id', '$1'))];
    const rows = await this.database.read<OpenRunRow>(
      `SELECT r.run_no, r.trace_id, r.parent_trace_id, r.agent_id, r.status,
         (${heard.join(' OR ')}) AS is_heard, (${attended.join(' OR ')}) AS is_attended
       FROM run r WHERE r.thread_pk = $2 AND r.status NOT IN ${sqlTuple(ENDED_STATUSES, this.database.dialect)} ORDER BY r.run_no`,
      [this.silentBeforeMs(), threadPk],
    );
    if (rows.length === 0) return [];
    const told = await this.toldRuns(threadPk);
    return rows.map(({ is_heard, is_attended, ...row }) => ({
      ...row,
      isHeard: Boolean(is_heard) || told.has(row.run_no),
      isAttended: Boolean(is_attended),
    }));
  }

  /** Runs with an event that is no checkpoint: a restart, an effect's claim. */
  private async toldRuns(threadPk: number): Promise<ReadonlySet<number | null>> {
    const rows = await this.database.read<{ run_no: number | null }>(
      'SELECT DISTINCT run_no FROM thread_event WHERE thread_pk = $1 AND created_at > $2',
      [threadPk, this.silentBeforeMs()],
    );
    return new Set(rows.map(({ run_no }) => run_no));
  }
}
