import type { EventKind } from '../../../../common/contract/event-types.js';

export interface RunFacts {
  /** It has ended; only starts and replays have come since. */
  hasEnded: boolean;
  /** It has ended or is idle. */
  isAtRest: boolean;
  /** Restarted, and nothing new has opened an attempt since. */
  isMarked: boolean;
  /** When the start that marked it occurred, in the reporter's time. */
  markOccurredAtMs: number | null;
  /** When the current attempt began, in the reporter's time. */
  attemptOccurredAtMs: number | null;
  /** The highest step of the current attempt; -1 if it has only the initial row. */
  highestStep: number;
  /** `turn_start_history_len` at the highest step. */
  turnStart: number;
  /** Of the last ending, in any attempt. */
  endingDigest: string | null;
  /** When that ending occurred, in the reporter's time. */
  endingOccurredAtMs: number | null;
  /** A person has cancelled it, and no report has restarted it. */
  isCancelled: boolean;
  /** A person must decide on its tool calls. */
  isWaiting: boolean;
}

export interface EventFacts {
  kind: EventKind;
  hasId: boolean;
  isKnownId: boolean;
  occurredAtMs: number | null;
  step: number | null;
  turnStart: number;
  /** Its text equals a stored report: of the same run and step for a checkpoint, of the thread for an ending. */
  isKnownReport: boolean;
  digest: string;
  /** Its batch holds no other event of its run. */
  isLone: boolean;
  /** Its reporter has seen the run's latest checkpoint and continues it. */
  followsLatest: boolean;
  /** An earlier event of its batch brought news of its run. */
  hasNewsBefore: boolean;
  /** It starts a launch that a person cancelled. */
  isCancelledStart: boolean;
  isBelowLatest: boolean;
}

export type Decision =
  | 'open' // an unknown run
  | 'mark'
  | 'append' // a new highest step of the current attempt
  | 'place' // not above the highest step: replaces a report or fills a gap
  | 'new-attempt'
  | 'belated' // a step from before the run's end, or of a cancelled run: placed, and the end stands
  | 'end' // or rest: sets the status and merges the event's fields
  | 'replay' // changes nothing, but shows that a restart brought no news
  | 'late'; // belongs to an earlier attempt or end: changes nothing

/**
 * Tells news from replays, and where news belongs. The order of the questions matters:
 * reported ids and times are certain; texts and steps come next.
 */
export function decide(run: RunFacts | null, event: EventFacts): Decision {
  if (event.isKnownId) return 'replay';
  if (!run) return 'open';
  // A continuation of the latest checkpoint is news, whatever the reporter's clock says.
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

/** An unseen ending is never a replay, even after a retried checkpoint: endings must not get lost. */
function decideEnding(run: RunFacts, event: EventFacts): Decision {
  // The program may not know yet, or may have ended because of it. A restarted program would have reported a start.
  if (run.isCancelled && !run.isMarked) return 'late';
  if (event.hasId) return 'end';
  const isLast = run.endingDigest === event.digest && !run.isCancelled;
  if (isLast && run.isAtRest) return 'replay';
  if (!event.isKnownReport) return 'end';
  if (!event.isLone) return event.hasNewsBefore ? 'end' : 'replay';
  return !isLast && (run.isWaiting || event.isBelowLatest) ? 'late' : 'end';
}

/** False if either time is unknown. */
function isOlder(occurredAtMs: number | null, thanMs: number | null): boolean {
  return occurredAtMs !== null && thanMs !== null && occurredAtMs < thanMs;
}
