import { Injectable } from '@nestjs/common';
import { Clock, isoTime } from '../../../common/clock.js';
import { idsOf, type TriggerRun } from './trigger-run.entity.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { BudgetMeter } from './budget-meter.js';
import { finalEvents } from './final-report.js';
import {
  hasEnded,
  isCancelled,
  looksUnreported,
  NOTHING_REPORTED,
  readState,
  type ReportedState,
} from './reported-state.js';
import type { RunEvent, RunOutcome } from './run-log.service.js';
import { RunSettings } from '../run-settings.js';

const DELIVERY_MS = 2_000;

/** Determines what remains to be reported about a run whose program has ended. */
@Injectable()
export class RunClosing {
  constructor(
    private readonly reporter: Reporter,
    private readonly api: ProcessApi,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * The events that end the run; none if the program reported its end itself. Asks the API once all other events of the run have arrived.
   * @returns null while the API is away
   */
  async closingEvents(run: TriggerRun, signal: AbortSignal): Promise<RunEvent[] | null> {
    if (!(await this.reporter.delivered(run.thread_id, DELIVERY_MS, signal))) return null;
    const latest = await this.api.latestOrNull(run.thread_id, { traceId: run.run_id, isForResume: true, signal });
    if (latest === null || latest.kind === 'unchanged') return null;
    const reported = latest.kind === 'found' ? readState(latest.text) : NOTHING_REPORTED;
    if (isCancelled(reported)) return this.closeCancelled(run, reported);
    if (hasEnded(reported)) return [];
    // Its thread has been deleted.
    if (latest.kind === 'unknown' && outcomeOf(run)?.kind === 'cancelled') return [];
    return this.compose(run, reported, latest.kind === 'found' ? latest.etag : null);
  }

  private compose(run: TriggerRun, reported: ReportedState, etag: string | null): RunEvent[] {
    const ids = idsOf(run);
    const hasPrinted = run.last_checkpoint !== null;
    const isAsStarted = run.start_etag === null ? looksUnreported(reported) : run.start_etag === etag;
    const isSilent = !hasPrinted && (isAsStarted || etag === null);
    const meter = this.meterOf(run);
    const { isWarning, isExceeded } = meter.read(reported.values.run_cost_usd);
    const amounts = { run_cost_usd: meter.costUsd, budget_usd: meter.budgetUsd };
    const warning = { type: 'budget_warning', dataText: JSON.stringify({ ...ids, ...amounts }) };
    const events = finalEvents({
      ids,
      reported,
      // A requeued run has its earlier steps.
      isUntouched: isSilent && run.source !== 'retry',
      message: run.message,
      outcome: isExceeded ? { kind: 'budget_exceeded' } : outcomeOf(run)!,
      isSelfReported: !isSilent && !hasPrinted,
      budgetUsd: meter.budgetUsd,
      costUsd: meter.costUsd,
      now: isoTime(this.clock.nowMs()),
    });
    const isWarningDue = isWarning && !reported.values.budget_warning;
    return isWarningDue ? [warning, ...events] : events;
  }

  /** Whenever it was cancelled, and however the program ended. */
  private closeCancelled(run: TriggerRun, reported: ReportedState): RunEvent[] {
    const { costUsd, budgetUsd } = this.meterOf(run);
    return finalEvents({
      ids: idsOf(run),
      reported,
      isUntouched: run.last_checkpoint === null && looksUnreported(reported),
      message: run.message,
      outcome: { kind: 'cancelled' },
      isSelfReported: false,
      budgetUsd,
      costUsd,
      now: isoTime(this.clock.nowMs()),
    });
  }

  private meterOf(run: TriggerRun): BudgetMeter {
    const agent = this.settings.agents.find(({ name }) => name === run.agent_name);
    // The file may have changed since the program was started.
    const { budgetUsd = agent?.budgetUsd ?? null } = outcomeOf(run) ?? {};
    return new BudgetMeter(budgetUsd, run.cost_usd, run.is_budget_warned);
  }
}

function outcomeOf({ outcome }: TriggerRun): RunOutcome | null {
  return outcome === null ? null : (JSON.parse(outcome) as RunOutcome);
}
