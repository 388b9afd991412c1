import type { BatchContext } from './batch-context.js';
import { endingStatus, isNote, isTerminal, type ModelEvent } from './model-event.js';
import type { RunModel } from './run-model.js';
import type { ThreadModel } from './thread-model.js';

/**
 * True for the few situations that the contract does not decide, so that the generated tests keep out of them.
 * Each has its reason; a situation that gets decided is removed here.
 */
export function isOpenQuestion(thread: ThreadModel, event: ModelEvent, context: BatchContext): boolean {
  if (isNote(event)) return false;
  const run = thread.resolve(event, context);
  if (!run) return isUndecidedForNewRun(thread, event);
  // Which run "last made progress" when none did.
  if (event.trace === null && !context.previous && run.progress === 0) return true;
  // Whose memory a checkpoint is that names another agent than its run does.
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

/** An event without trace that equals one recorded for another run: a retry of that, or this run's own. */
function isRepeatOfAnotherRun(thread: ThreadModel, run: RunModel, event: ModelEvent): boolean {
  const others = thread.runs.filter((other) => other !== run);
  return others.some((other) => other.reports.has(event.data) || other.endings.has(event.type + event.data));
}

function isUndecidedCheckpoint(run: RunModel, event: ModelEvent): boolean {
  if (event.step === null) return false;
  const { step } = event;
  if (run.knows(event)) {
    // A retry, after a repeated start, of a report that was replaced since: there is nothing stored to take along.
    return run.mark !== null && run.attempt.rows.get(step)?.data !== event.data;
  }
  // News below steps that were replayed since the mark: which of them is the latest of the new attempt.
  if (run.mark && step <= run.attempt.highest && [...run.mark.taken.keys()].some((taken) => taken > step)) return true;
  if (run.mark || isTerminal(run.status) || step > run.attempt.highest) return false;
  // "Grew" against the latest step or against the step it would replace: only where both say the same.
  const below = run.attempt.ordered.filter((row) => row.step <= step).at(-1);
  const latest = run.attempt.ordered.at(-1);
  return event.turnStart > (below?.turnStart ?? 0) !== event.turnStart > (latest?.turnStart ?? 0);
}
