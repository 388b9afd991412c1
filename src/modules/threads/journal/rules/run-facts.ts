import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { BatchMemory } from './batch-memory.js';
import { objectOf } from '../../../../common/json-fields.js';
import { timeMs } from '../../../../common/reported-time.js';
import { parsedJson } from '../../../../common/parsed-json.js';
import { isAtRest, isEnded, RUN_STATUS } from '../../../../common/contract/run-status.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { EventFacts, RunFacts } from './run-rules.js';
import { highestStep, pendingCalls, type Ending, type RunState } from './thread-state.js';

export function runFactsOf(run: RunState): RunFacts {
  // A restarted run shows as open before it is clear whether the restart was a replay.
  const standing = run.mark?.status ?? run.row.status;
  const ending = endingIn(run);
  return {
    hasEnded: isEnded(standing),
    isAtRest: isAtRest(standing),
    isWaiting: pendingCalls(run) !== null || run.row.status === RUN_STATUS.waiting,
    isMarked: run.mark !== null,
    markOccurredAtMs: run.mark?.occurredAtMs ?? null,
    attemptOccurredAtMs: run.row.attempt_occurred_at,
    highestStep: highestStep(run),
    turnStart: run.latest?.turn_start_history_len ?? 0,
    endingDigest: run.row.ending_digest,
    endingOccurredAtMs: ending?.occurredAtMs ?? null,
    isCancelled: standing === RUN_STATUS.cancelled && ending?.isCancellation === true,
  };
}

/** Whether a person cancelled the run and no report has restarted it. Agents may report the same status for other reasons. */
export function isCancelled({ row, mark }: Pick<RunState, 'row' | 'mark'>): boolean {
  return mark === null && isCancelledIn(row);
}

export function isCancelledRow(row: Pick<Run, 'status' | 'ending' | 'mark'>): boolean {
  return row.mark === null && isCancelledIn(row);
}

function isCancelledIn(row: Pick<Run, 'status' | 'ending'>): boolean {
  return row.status === RUN_STATUS.cancelled && endingIn({ row })?.isCancellation === true;
}

/** When launches that a person cancelled before they began were accepted, in milliseconds. */
export function cancelledLaunchesOf(run: Pick<RunState, 'row' | 'mark'>): readonly number[] {
  return isCancelled(run) ? (endingIn(run)?.queuedAtMs ?? []) : [];
}

/**
 * Whether the event starts a launch that a person cancelled before or after it began. A restarted process resumes what it had accepted
 * before the run began, and may have read the run before the cancellation. A retry names the thread's last change before it, which does not
 * depend on the process's clock.
 */
function isCancelledStart({ kind, dataText }: ReportedEvent, run: RunState | null): boolean {
  if (!run || kind !== 'started' || !isCancelled(run)) return false;
  const { queued_at: queuedAt, retry_since: since } = objectOf(parsedJson(dataText.toString())) ?? {};
  if (typeof since === 'number' && (run.latest?.rev ?? 0) > since) return true;
  const queuedAtMs = timeMs(queuedAt);
  if (queuedAtMs === null) return false;
  const begunAtMs = endingIn(run)?.begunAtMs ?? -Infinity;
  return queuedAtMs <= begunAtMs || cancelledLaunchesOf(run).includes(queuedAtMs);
}

/** Whether a cancelled run's program has not reported its end yet. */
export function awaitsEnding(row: Pick<Run, 'status' | 'ending' | 'mark' | 'ending_digest'>): boolean {
  return row.ending_digest === null && isCancelledRow(row);
}

function endingIn({ row }: { row: Pick<RunState['row'], 'ending'> }): Ending | null {
  return row.ending === null ? null : (JSON.parse(row.ending) as Ending);
}

export function endingOf({ fields, occurredAtMs }: ReportedEvent, status: string): Ending {
  const { tokens_used, model, run_cost_usd, budget_usd } = fields;
  return {
    occurredAtMs,
    tokens_used,
    model,
    run_cost_usd,
    budget_usd,
    budget_warning: status === RUN_STATUS.budgetExceeded,
  };
}

function isBelow({ fields }: ReportedEvent, latest: Checkpoint | null): boolean {
  if (!latest) return false;
  const { tokens_used: tokens, run_cost_usd: costUsd } = fields;
  return (tokens !== null && tokens < latest.tokens_used) || (costUsd !== null && costUsd < latest.run_cost_usd);
}

export function eventFactsOf(
  event: ReportedEvent,
  run: RunState | null,
  memory: BatchMemory,
  { digest, isSeen, isKnownReport }: { digest: string; isSeen: boolean; isKnownReport: boolean },
): EventFacts {
  return {
    kind: event.kind,
    hasId: event.id !== null,
    isKnownId: event.id !== null && isSeen,
    occurredAtMs: event.occurredAtMs,
    step: event.fields.step_index,
    turnStart: event.fields.turn_start_history_len ?? 0,
    isKnownReport,
    digest,
    isLone: run !== null && memory.isLone(run, event),
    followsLatest: event.base?.isLatest === true,
    isCancelledStart: isCancelledStart(event, run),
    hasNewsBefore: run !== null && memory.hasNews(run),
    isBelowLatest: isBelow(event, run?.latest ?? null),
  };
}
