import { isTerminal, terminalStatus, type ModelEvent } from './model-event.js';
import type { RunModel } from './run-model.js';
import type { BatchContext, ThreadModel } from './thread-model.js';

/**
 * True for the few situations that the contract does not decide, so that the generated tests keep out of them.
 * Each has its reason; a situation that gets decided is removed here.
 */
export function isOpenQuestion(thread: ThreadModel, event: ModelEvent, context: BatchContext): boolean {
  const run = thread.resolve(event, context);
  if (!run) return isUndecidedForNewRun(thread, event);
  // Which run "last made progress" when none did.
  if (event.trace === null && !context.previous && run.progress === 0) return true;
  // Whose memory a checkpoint is that names another agent than its run does.
  if (event.agent !== run.agent) return true;
  if (event.trace === null && isRepeatOfAnotherRun(thread, run, event)) return true;
  if (event.type === 'checkpoint') return isUndecidedCheckpoint(run, event);
  return terminalStatus(event) !== null && isUndecidedEnd(run, event, context);
}

function isUndecidedForNewRun(thread: ThreadModel, event: ModelEvent): boolean {
  if (event.type === 'budget_warning') return true;
  // A terminal event of an unknown run in a known thread: whether it becomes the latest.
  if (terminalStatus(event) !== null) return thread.runs.length > 0;
  // Another agent's run is open and one of its own as well: whether its new run is a sub-agent's.
  const open = thread.runs.filter((run) => !isTerminal(run.status));
  const isAnotherOpen = open.some((run) => run.agent !== event.agent);
  return event.type !== 'checkpoint' && event.parent === null && isAnotherOpen && !thread.isSubAgent(event);
}

/** An event without trace that equals one recorded for another run: a retry of that, or this run's own. */
function isRepeatOfAnotherRun(thread: ThreadModel, run: RunModel, event: ModelEvent): boolean {
  const others = thread.runs.filter((other) => other !== run);
  return others.some((other) => other.reports.has(event.data) || other.terminals.has(event.type + event.data));
}

function isUndecidedCheckpoint(run: RunModel, event: ModelEvent): boolean {
  if (event.step === null) return false;
  const { step } = event;
  if (run.knows(event)) {
    // A retry, after a repeated start, of a report that was replaced since: there is nothing stored to take along.
    return run.mark !== null && run.attempt.rows.get(step)?.data !== event.data;
  }
  // News below steps that were replayed since the mark: which of them is the latest of the new attempt.
  if (run.mark && step <= run.attempt.highest && [...run.mark.keys()].some((taken) => taken > step)) return true;
  if (run.mark || isTerminal(run.status) || step > run.attempt.highest) return false;
  // "Grew" against the latest step or against the step it would replace: only where both say the same.
  const below = run.attempt.ordered.filter((row) => row.step <= step).at(-1);
  const latest = run.attempt.ordered.at(-1);
  return event.turnStart > (below?.turnStart ?? 0) !== event.turnStart > (latest?.turnStart ?? 0);
}

function isUndecidedEnd(run: RunModel, event: ModelEvent, context: BatchContext): boolean {
  const text = event.type + event.data;
  if (event.id !== undefined) return false;
  // The end of before, word for word, after the run has gone on within the attempt: a late retry or the next end.
  if (run.attempt.terminal?.text === text) return run.attempt.hasGoneOn;
  // After nothing but retries in its batch, a terminal event that was never stored: a retry or the first news.
  return context.trail.get(run) === 'replays' && !run.terminals.has(text);
}
