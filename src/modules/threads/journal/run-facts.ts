import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { BatchMemory } from './batch-memory.js';
import { isAtRest, isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import type { ReportedEvent } from '../threads.contract.js';
import type { EventFacts, RunFacts } from './run-rules.js';
import { highestStep, pendingCalls, type Ending, type RunState } from './thread-state.js';

/** What the rules ask of a run. */
export function runFactsOf(run: RunState): RunFacts {
  // A restart opens a run for all to see, before anybody knows what it was.
  const standing = run.mark?.status ?? run.row.status;
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
    endingOccurredAtMs: run.row.ending === null ? null : (JSON.parse(run.row.ending) as Ending).occurredAtMs,
  };
}

/** What is kept of the event that ended a run. */
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

/** What the rules ask of an event and of its place in its batch. */
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
    hasNewsBefore: run !== null && memory.hasNews(run),
    isBelowLatest: isBelow(event, run?.latest ?? null),
  };
}
