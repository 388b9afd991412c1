import type { BatchContext } from './batch-context.js';
import { endingStatus, isNote, isTerminal, type ModelEvent } from './model-event.js';
import type { RunModel } from './run-model.js';
import type { ThreadModel } from './thread-model.js';

/**
 * True for the few situations that the contract does not decide, so that generated tests avoid them.
 * Each has its reason; remove a situation here once it is decided.
 */
export function isOpenQuestion(thread: ThreadModel, event: ModelEvent, context: BatchContext): boolean {
  if (isNote(event)) return false;
  const run = thread.resolve(event, context);
  if (!run) return isUndecidedForNewRun(thread, event);
  // Which run "last made progress" if none did.
  if (event.trace === null && !context.previous && run.progress === 0) return true;
  // Whose memory a checkpoint is if it names another agent than its run.
  if (event.agent !== run.agent) return true;
  if (event.trace === null && isRepeatOfAnotherRun(thread, run, event)) return true;
  return event.type === 'checkpoint' && isUndecidedCheckpoint(run, event);
}

function isUndecidedForNewRun(thread: ThreadModel, event: ModelEvent): boolean {
  // A terminal event of an unknown run in a known thread: whether it becomes the latest.
  if (endingStatus(event) !== null) return thread.runs.length > 0;
  // Two top-level runs are open, one of the same agent and one of another: whether the new one is a sub-agent's.
  const open = thread.runs.filter((run) => run.isTopLevel && !isTerminal(run.status));
  const isOwn = (run: RunModel) => run.agent === event.agent;
  return event.parent === null && open.some(isOwn) && !open.every(isOwn);
}

/** An event without a trace that equals one recorded for another run: a retry of that one, or this run's own. */
function isRepeatOfAnotherRun(thread: ThreadModel, run: RunModel, event: ModelEvent): boolean {
  const others = thread.runs.filter((other) => other !== run);
  return others.some((other) => other.reports.has(event.data) || other.endings.has(event.type + event.data));
}

function isUndecidedCheckpoint(run: RunModel, event: ModelEvent): boolean {
  if (event.step === null) return false;
  const { step } = event;
  if (run.knows(event)) {
    // A retry, after a repeated start, of a report that was replaced since: no stored row can move along.
    return run.mark !== null && run.attempt.rows.get(step)?.data !== event.data;
  }
  // News below steps that were replayed since the mark: which of them is the new attempt's latest.
  if (run.mark && step <= run.attempt.highest && [...run.mark.taken.keys()].some((taken) => taken > step)) return true;
  if (run.mark || isTerminal(run.status) || step > run.attempt.highest) return false;
  // "Grew" compared with the latest step or with the step it would replace: decided only if both agree.
  const below = run.attempt.ordered.filter((row) => row.step <= step).at(-1);
  const latest = run.attempt.ordered.at(-1);
  return event.turnStart > (below?.turnStart ?? 0) !== event.turnStart > (latest?.turnStart ?? 0);
}
