import { addAmount } from '../../common/amounts.js';
import { isoTime } from '../../common/clock.js';
import type { Run } from './entities/run.entity.js';
import type { ReportRow } from './reading/report-row.js';

/** What the checkpoints of one run add up to. */
interface RunSums {
  steps: number;
  tokens: number;
  costUsd: number;
  /** When the last of them arrived: the run's own row only tells of changes of its state. */
  lastMs: number;
}

/**
 * The runs of a thread as a JSON array. A run's tokens and cost are the sums of the last values of each of its attempts.
 * @param reports checkpoints that are not replaced
 */
export function runListJson(runs: readonly Run[], reports: readonly ReportRow[]): string {
  const sums = sumsOf(reports);
  return `[${runs.map((run) => runJson(run, sums.get(run.run_no) ?? noSums())).join(',')}]`;
}

function runJson(run: Run, { steps, tokens, costUsd, lastMs }: RunSums): string {
  const members = {
    trace_id: run.trace_id,
    parent_trace_id: run.parent_trace_id,
    agent_id: run.agent_id,
    status: run.status,
    attempts: run.attempt,
    steps,
    tokens_used: tokens,
    run_cost_usd: costUsd,
    started_at: isoTime(run.started_at),
    updated_at: isoTime(Math.max(run.updated_at, lastMs)),
  };
  // The error is the exact text that was reported.
  return `${JSON.stringify(members).slice(0, -1)},"error":${run.error ?? 'null'}}`;
}

function sumsOf(reports: readonly ReportRow[]): Map<number, RunSums> {
  const sums = new Map<number, RunSums>();
  const lastOfAttempt = new Map<string, ReportRow>();
  for (const report of reports) {
    const key = `${report.run_no}:${report.attempt}`;
    const last = lastOfAttempt.get(key);
    if (!last || report.step_index >= last.step_index) lastOfAttempt.set(key, report);
    const sum = sums.get(report.run_no) ?? noSums();
    sums.set(report.run_no, sum);
    sum.steps += report.is_initial ? 0 : 1;
    sum.lastMs = Math.max(sum.lastMs, report.created_at);
  }
  for (const { run_no, tokens_used, run_cost_usd } of lastOfAttempt.values()) {
    const sum = sums.get(run_no)!;
    sum.tokens = addAmount(sum.tokens, tokens_used);
    sum.costUsd = addAmount(sum.costUsd, run_cost_usd);
  }
  return sums;
}

function noSums(): RunSums {
  return { steps: 0, tokens: 0, costUsd: 0, lastMs: 0 };
}
