import { cancelledByOf, cancelReasonOf, cancelledWithOf } from '../entities/cancel-reason.js';
import { attemptsOf, retryOf } from '../entities/run-retry.js';
import { addAmount } from '../../../common/amounts.js';
import { flagMembers, type Flags } from '../flags/flags.contract.js';
import { isoTime } from '../../../common/clock.js';
import type { ListedRun } from './listed-run.js';
import type { ReportRow } from '../checkpoints/report-row.js';

interface RunSums {
  steps: number;
  tokens: number;
  costUsd: number;
  /** When the last of them arrived: the run's row changes only with its state. */
  lastMs: number;
}

type Supplements = ReadonlyMap<string, ReadonlyMap<number, string>>;

type LastOfAttempt = Pick<ReportRow, 'run_no' | 'step_index' | 'tokens_used' | 'run_cost_usd'>;

type CountedReport = Omit<ReportRow, 'agent_id' | 'history' | 'history_meta' | 'seq'>;

/** The runs of a thread. A run's tokens and cost are the sums of each attempt's last values. */
export class RunList {
  private readonly sums = new Map<number, RunSums>();
  private readonly lastOfAttempt = new Map<string, LastOfAttempt>();

  /** Call this for each current checkpoint. */
  add({ run_no, attempt, step_index, is_initial, tokens_used, run_cost_usd, created_at }: CountedReport): void {
    const key = `${run_no}:${attempt}`;
    const last = this.lastOfAttempt.get(key);
    if (!last || step_index >= last.step_index) {
      this.lastOfAttempt.set(key, { run_no, step_index, tokens_used, run_cost_usd });
    }
    const sum = this.sums.get(run_no) ?? noSums();
    this.sums.set(run_no, sum);
    sum.steps += is_initial ? 0 : 1;
    sum.lastMs = Math.max(sum.lastMs, created_at);
  }

  /**
   * A run as JSON. Call this after all reports were added.
   * @param more further members by name, as exact JSON by run number
   */
  json(run: ListedRun, flags: Flags, more: Supplements = new Map()): string {
    for (const { run_no, tokens_used, run_cost_usd } of this.lastOfAttempt.values()) {
      const sum = this.sums.get(run_no)!;
      sum.tokens = addAmount(sum.tokens, tokens_used);
      sum.costUsd = addAmount(sum.costUsd, run_cost_usd);
    }
    this.lastOfAttempt.clear();
    return runJson(run, this.sums.get(run.run_no) ?? noSums(), flags, more);
  }
}

function runJson(run: ListedRun, { steps, tokens, costUsd, lastMs }: RunSums, flags: Flags, more: Supplements): string {
  const { atMs, pausedMs } = retryOf(run);
  const updatedMs = Math.max(run.updated_at, lastMs);
  const members = {
    trace_id: run.trace_id,
    parent_trace_id: run.parent_trace_id,
    agent_id: run.agent_id,
    status: run.status,
    attempts: attemptsOf(run),
    steps,
    tokens_used: tokens,
    run_cost_usd: costUsd,
    started_at: isoTime(run.started_at),
    attempt_started_at: isoTime(atMs ?? run.attempt_started_at ?? run.started_at),
    updated_at: isoTime(updatedMs),
    duration_ms: Math.max(0, updatedMs - run.started_at - pausedMs),
  };
  // The error is the exact reported text.
  const added = [...more].map(([name, values]) => `,${JSON.stringify(name)}:${values.get(run.run_no) ?? '[]'}`);
  const reason = cancelReasonOf(run);
  if (reason !== null) added.push(`,"cancel_reason":${JSON.stringify(reason)}`);
  const by = cancelledByOf(run);
  if (by !== null) added.push(`,"cancelled_by":${JSON.stringify(by)}`);
  const caller = cancelledWithOf(run);
  if (caller !== null) added.push(`,"cancelled_with":${JSON.stringify(caller)}`);
  return `${JSON.stringify(members).slice(0, -1)},${flagMembers(flags)},"error":${run.error ?? 'null'}${added.join('')}}`;
}

function noSums(): RunSums {
  return { steps: 0, tokens: 0, costUsd: 0, lastMs: 0 };
}
