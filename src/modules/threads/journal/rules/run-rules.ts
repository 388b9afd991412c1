import type { EventKind } from '../../../../common/contract/event-types.js';

/** What the rules need to know of a run. */
export interface RunFacts {
  /** It has ended, and nothing but starts and replays has come since. */
  hasEnded: boolean;
  /** The same, or an event has let it rest. */
  isAtRest: boolean;
  /** Started again, and nothing new has opened an attempt since. */
  isMarked: boolean;
  /** When the start that marked it occurred, in the reporter's time. */
  markOccurredAtMs: number | null;
  /** When the current attempt began, in the reporter's time. */
  attemptOccurredAtMs: number | null;
  /** The highest step of the current attempt; -1 while there is none but the initial row. */
  highestStep: number;
  /** `turn_start_history_len` at the highest step. */
  turnStart: number;
  /** Of the last ending, in whichever attempt. */
  endingDigest: string | null;
  /** When it occurred, in the reporter's time. */
  endingOccurredAtMs: number | null;
  /** A person has cancelled it, and no report has started it again. */
  isCancelled: boolean;
  /** A person is to decide on its tool calls. */
  isWaiting: boolean;
}

/** What the rules need to know of an event. */
export interface EventFacts {
  kind: EventKind;
  hasId: boolean;
  /** Its id was seen before in this thread. */
  isKnownId: boolean;
  occurredAtMs: number | null;
  step: number | null;
  turnStart: number;
  /** Its text equals any report ever stored: of a checkpoint for this run and step, of an ending for this thread. */
  isKnownReport: boolean;
  digest: string;
  /** Its batch holds no other event of its run. */
  isLone: boolean;
  /** Its reporter has seen the latest checkpoint of the run, and goes on from it. */
  followsLatest: boolean;
  /** Its batch held something new of its run before it. */
  hasNewsBefore: boolean;
  /** It starts what a person has cancelled while it waited to be started. */
  isCancelledStart: boolean;
  /** It carries fewer tokens, or less cost, than the latest checkpoint of the run. */
  isBelowLatest: boolean;
}

export type Decision =
  | 'open' // a run that nobody knew
  | 'mark' // a known run starts again
  | 'append' // a new highest step of the current attempt
  | 'place' // a step not above the highest: replaces what stands there, or fills a gap
  | 'new-attempt'
  | 'belated' // a step from before the end of the run, or of one that was cancelled: placed, and the end goes on standing
  | 'end' // or rest: sets the status and merges what it carries
  | 'replay' // changes nothing, but tells that what followed a restart was no news
  | 'late'; // belongs to what has been left behind: changes nothing

/**
 * Tells news from replays, and where news belongs. The order of the questions matters:
 * ids and times are certain where a reporter sends them, texts and steps are the next best.
 */
export function decide(run: RunFacts | null, event: EventFacts): Decision {
  if (event.isKnownId) return 'replay';
  if (!run) return 'open';
  // What follows the latest checkpoint is news, whatever the reporter's clock says.
  if (!event.followsLatest && isOlder(event.occurredAtMs, run.attemptOccurredAtMs)) return 'late';
  if (event.kind === 'started') return event.isCancelledStart ? 'late' : 'mark';
  return event.kind === 'checkpoint' ? decideCheckpoint(run, event) : decideEnding(run, event);
}

function decideCheckpoint(run: RunFacts, event: EventFacts): Decision {
  if (event.step !== null && !event.hasId && event.isKnownReport) return 'replay';
  const followsRestart = run.isMarked && !isOlder(event.occurredAtMs, run.markOccurredAtMs);
  const isNewTurn = followsRestart || event.turnStart > run.turnStart;
  const isFromBefore = run.isCancelled || isOlder(event.occurredAtMs, run.endingOccurredAtMs);
  if (run.hasEnded && !isNewTurn && isFromBefore) return 'belated';
  if (event.step === null || event.step > run.highestStep) return 'append';
  return isNewTurn || run.hasEnded ? 'new-attempt' : 'place';
}

/** What was never seen is no replay, even behind the retry of a checkpoint: an ending must not get lost. */
function decideEnding(run: RunFacts, event: EventFacts): Decision {
  // Its program may not know yet, or has ended because of it. A program that was started for it since has reported a start.
  if (run.isCancelled && !run.isMarked) return 'late';
  if (event.hasId) return 'end';
  const isLast = run.endingDigest === event.digest && !run.isCancelled;
  if (isLast && run.isAtRest) return 'replay';
  if (!event.isKnownReport) return 'end';
  if (!event.isLone) return event.hasNewsBefore ? 'end' : 'replay';
  return !isLast && (run.isWaiting || event.isBelowLatest) ? 'late' : 'end';
}

/** Where either time is unknown nothing can be said. */
function isOlder(occurredAtMs: number | null, thanMs: number | null): boolean {
  return occurredAtMs !== null && thanMs !== null && occurredAtMs < thanMs;
}
