import { RUN_STATUS } from '../../../../common/contract/run-status.js';
import type { Dialect } from '../../../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../../../database/sql-literal.js';
import { SUM_PERIOD_MS, type RunSum } from '../../entities/run-sum.entity.js';
import type { RunState } from '../rules/thread-state.js';

type Sums = Omit<RunSum, 'part'>;

/** Rows per sum on PostgreSQL, so that concurrent transactions rarely write the same one. */
const PARTS = 16;
const COUNTS = ['runs', 'completed', 'failed', 'tokens', 'cost_usd'] as const;
const KEYS = 'period, agent_id, model, part';
const FAILED: readonly string[] = [RUN_STATUS.error, RUN_STATUS.budgetExceeded];

/** What attempts add to the sums, and what they added before: a transaction writes the difference. */
export class RunSums {
  private readonly changes: Sums[] = [];
  /** Numbers of the runs whose current attempt began in this transaction: no sum counts it yet. */
  private newAttempts: Set<number> | null = null;

  /** Ends the attempt, because another one follows. A restarted run had ended before that. */
  close(run: RunState, known: ReadonlyMap<number, RunState>): void {
    this.replace(this.countedOf(run, known), sumsOf(run, run.mark?.status ?? run.row.status));
    this.newAttempts = (this.newAttempts ?? new Set()).add(run.row.run_no);
  }

  /** @param known the stored runs, by number */
  count(runs: Iterable<RunState>, known: ReadonlyMap<number, RunState>): void {
    for (const run of runs) this.replace(this.countedOf(run, known), sumsOf(run));
  }

  /** The statement that adds the changes to the stored sums; null for none. Rows are sorted to prevent deadlocks. */
  static statement(dialect: Dialect, all: Iterable<RunSums>): string | null {
    const rows = new Map<string, Sums>();
    for (const { changes } of all) for (const change of changes) addTo(rows, change);
    const changed = [...rows].filter(([, row]) => COUNTS.some((name) => row[name] !== 0));
    if (changed.length === 0) return null;
    changed.sort(([a], [b]) => (a < b ? -1 : 1));
    const values = changed.map(([, row]) => {
      const { period, agent_id, model } = row;
      return `${sqlTuple([period, agent_id, model], dialect).slice(0, -1)},${partOf(dialect)},${COUNTS.map((name) => sqlLiteral(row[name])).join()})`;
    });
    return `INSERT INTO run_sum(${KEYS}, ${COUNTS.join(', ')}) VALUES ${values.join()} ${ON_CONFLICT};`;
  }

  private countedOf({ row: { run_no: runNo } }: RunState, known: ReadonlyMap<number, RunState>): Sums | null {
    const stored = this.newAttempts?.has(runNo) ? undefined : known.get(runNo);
    return stored ? sumsOf(stored) : null;
  }

  private replace(before: Sums | null, now: Sums): void {
    if (before && isOfSameRow(before, now)) {
      addCounts(now, before, -1);
      this.changes.push(now);
      return;
    }
    if (before) this.changes.push(negated(before));
    this.changes.push(now);
  }
}

const ON_CONFLICT = `ON CONFLICT(${KEYS}) DO UPDATE SET ${COUNTS.map((name) => `${name} = run_sum.${name} + excluded.${name}`).join(', ')}`;

function sumsOf({ row, latest }: RunState, status = row.status): Sums {
  const startedMs = row.attempt_started_at ?? row.started_at;
  return {
    period: startedMs - (startedMs % SUM_PERIOD_MS),
    agent_id: row.agent_id,
    model: latest?.model ?? row.model,
    runs: 1,
    completed: Number(status === RUN_STATUS.completed),
    failed: Number(FAILED.includes(status)),
    tokens: latest?.tokens_used ?? 0,
    cost_usd: latest?.run_cost_usd ?? 0,
  };
}

/**
 * The statement that adds all attempts of a stored thread. The last checkpoint of an earlier attempt tells how it ended, its first one when
 * it started.
 * @param times -1 subtracts them
 */
export function sumsOfStored(dialect: Dialect, threadPk: number, times: 1 | -1 = 1): string {
  const started = `CASE WHEN c.attempt = r.attempt THEN COALESCE(r.attempt_started_at, r.started_at) ELSE c.started END`;
  const status = `CASE WHEN c.attempt = r.attempt THEN r.status ELSE c.status END`;
  const count = (statuses: readonly string[]) =>
    `SUM(CASE WHEN ${status} IN ${sqlTuple(statuses, dialect)} THEN ${times} ELSE 0 END)`;
  return `INSERT INTO run_sum(${KEYS}, ${COUNTS.join(', ')})
    SELECT ${started} - ${started} % ${SUM_PERIOD_MS} AS period, r.agent_id, c.model, ${partOf(dialect)}, ${times} * COUNT(*),
      ${count([RUN_STATUS.completed])}, ${count(FAILED)}, ${times} * SUM(c.tokens_used), ${times} * SUM(c.run_cost_usd)
    FROM (SELECT run_no, attempt, status, model, tokens_used, run_cost_usd,
        MIN(created_at) OVER (PARTITION BY run_no, attempt) AS started,
        ROW_NUMBER() OVER (PARTITION BY run_no, attempt ORDER BY step_index DESC) AS place
      FROM checkpoint WHERE thread_pk = ${threadPk} AND is_current) c
    JOIN run r ON r.thread_pk = ${threadPk} AND r.run_no = c.run_no
    WHERE c.place = 1 GROUP BY 1, 2, 3 ${ON_CONFLICT};`;
}

function partOf(dialect: Dialect): string {
  return dialect === 'sqlite' ? '0' : `pg_backend_pid() % ${PARTS}`;
}

function addTo(rows: Map<string, Sums>, change: Sums): void {
  const { period, agent_id: agentId, model } = change;
  const key = `${period} ${agentId.length} ${agentId} ${model}`;
  const row = rows.get(key);
  if (row) addCounts(row, change, 1);
  else rows.set(key, { ...change });
}

function addCounts(row: Sums, { runs, completed, failed, tokens, cost_usd: costUsd }: Sums, times: 1 | -1): void {
  row.runs += times * runs;
  row.completed += times * completed;
  row.failed += times * failed;
  row.tokens += times * tokens;
  row.cost_usd += times * costUsd;
}

function negated(part: Sums): Sums {
  const row = { ...part, runs: 0, completed: 0, failed: 0, tokens: 0, cost_usd: 0 };
  addCounts(row, part, -1);
  return row;
}

function isOfSameRow(one: Sums, other: Sums): boolean {
  return one.period === other.period && one.agent_id === other.agent_id && one.model === other.model;
}
