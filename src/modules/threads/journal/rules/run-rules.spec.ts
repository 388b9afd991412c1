import { decide, type Decision, type EventFacts, type RunFacts } from './run-rules.js';

const RUN: RunFacts = {
  hasEnded: false,
  isMarked: false,
  markOccurredAtMs: null,
  attemptOccurredAtMs: null,
  highestStep: 3,
  turnStart: 2,
  isAtRest: false,
  endingDigest: null,
  endingOccurredAtMs: null,
  isCancelled: false,
  isWaiting: false,
};

const ENDED: Partial<RunFacts> = { hasEnded: true, isAtRest: true, endingDigest: 'd' };
/** Ended, then restarted; nothing new yet. */
const RESTARTED: Partial<RunFacts> = { ...ENDED, isMarked: true };
const CANCELLED: Partial<RunFacts> = { hasEnded: true, isAtRest: true, isCancelled: true };
const SEEN_END: Partial<EventFacts> = { kind: 'ending', step: null, isKnownReport: true };
const LONE_END: Partial<EventFacts> = { ...SEEN_END, isLone: true };

const CHECKPOINT: EventFacts = {
  kind: 'checkpoint',
  hasId: false,
  isKnownId: false,
  occurredAtMs: null,
  step: 4,
  turnStart: 2,
  isKnownReport: false,
  digest: 'd',
  isLone: false,
  followsLatest: false,
  isCancelledStart: false,
  hasNewsBefore: false,
  isBelowLatest: false,
};

const STARTED: Partial<EventFacts> = { kind: 'started', step: null };
const ENDING: Partial<EventFacts> = { kind: 'ending', step: null };

type Row = [sentence: string, run: Partial<RunFacts> | null, event: Partial<EventFacts>, decision: Decision];

const ROWS: Row[] = [
  ['a run that nobody knew is opened by its start', null, STARTED, 'open'],
  ['a run that nobody knew is opened by a checkpoint', null, {}, 'open'],
  ['a run that nobody knew is opened by its end', null, ENDING, 'open'],
  ['a known event id is a replay, even of a run that nobody knows', null, { isKnownId: true }, 'replay'],
  ['a known event id is a replay whatever the step', {}, { hasId: true, isKnownId: true, step: 9 }, 'replay'],
  ['a step above the highest is appended', {}, {}, 'append'],
  ['the first step of a run with only its initial row is appended', { highestStep: -1 }, { step: 0 }, 'append'],
  ['a step that is not the next is appended all the same', {}, { step: 40 }, 'append'],
  ['a checkpoint without a step is always new', {}, { step: null, isKnownReport: true }, 'append'],
  ['the same text for the same step is a replay', {}, { step: 2, isKnownReport: true }, 'replay'],
  ['the same text with a new id is news', {}, { step: 2, isKnownReport: true, hasId: true }, 'place'],
  ['other text for a known step replaces it', {}, { step: 2 }, 'place'],
  ['other text for the highest step replaces it', {}, { step: 3 }, 'place'],
  ['a start of a known run marks it', {}, STARTED, 'mark'],
  ['news at a known step after a restart opens an attempt', { isMarked: true }, { step: 3 }, 'new-attempt'],
  ['news above the highest after a restart goes on', { isMarked: true }, { step: 4 }, 'append'],
  ['a replay after a restart stays a replay', { isMarked: true }, { step: 0, isKnownReport: true }, 'replay'],
  [
    'news from before the restart belongs to the attempt before it',
    { isMarked: true, markOccurredAtMs: 50 },
    { step: 3, occurredAtMs: 49 },
    'place',
  ],
  [
    'news from after the restart opens an attempt',
    { isMarked: true, markOccurredAtMs: 50 },
    { step: 3, occurredAtMs: 51 },
    'new-attempt',
  ],
  ['news at a known step of a run that had ended opens an attempt', { hasEnded: true }, { step: 0 }, 'new-attempt'],
  ['news above the highest of a run that had ended goes on', { hasEnded: true }, {}, 'append'],
  ['a known step with a longer turn start is a new turn', {}, { step: 0, turnStart: 3 }, 'new-attempt'],
  ['a known step with a shorter turn start is no new turn', {}, { step: 0, turnStart: 1 }, 'place'],
  ['what occurred before the attempt began is late', { attemptOccurredAtMs: 100 }, { occurredAtMs: 99 }, 'late'],
  ['what occurred as the attempt began is not late', { attemptOccurredAtMs: 100 }, { occurredAtMs: 100 }, 'append'],
  [
    'what follows the latest checkpoint is no late report',
    { attemptOccurredAtMs: 100 },
    { occurredAtMs: 99, followsLatest: true },
    'append',
  ],
  ['a start from before the attempt is late', { attemptOccurredAtMs: 100 }, { ...STARTED, occurredAtMs: 9 }, 'late'],
  ['an end from before the attempt is late', { attemptOccurredAtMs: 100 }, { ...ENDING, occurredAtMs: 9 }, 'late'],
  ['an end ends the run', {}, ENDING, 'end'],
  ['an end equal to the one that ended the run is a replay', ENDED, LONE_END, 'replay'],
  ['an end equal to the one that ended the run is a replay in any batch', ENDED, SEEN_END, 'replay'],
  ['an end equal to the one before a restart is a replay', RESTARTED, LONE_END, 'replay'],
  ['another end than the one stored counts', { ...ENDED, endingDigest: 'other' }, ENDING, 'end'],
  ['a lone end equal to the last one counts once news has reopened the run', { endingDigest: 'd' }, LONE_END, 'end'],
  ['a lone end from earlier counts, too', { endingDigest: 'other' }, LONE_END, 'end'],
  ['a lone end from earlier is late while a person is to decide', { isWaiting: true }, LONE_END, 'late'],
  ['a lone end from earlier with smaller figures is late', {}, { ...LONE_END, isBelowLatest: true }, 'late'],
  ['a lone end that was never seen counts, whatever it carries', {}, { ...ENDING, isBelowLatest: true }, 'end'],
  [
    'a lone end equal to the last one counts whatever it carries',
    { endingDigest: 'd', isWaiting: true },
    { ...LONE_END, isBelowLatest: true },
    'end',
  ],
  ['an end seen before, behind nothing in its batch, is a replay', { endingDigest: 'd' }, SEEN_END, 'replay'],
  ['an end seen before counts behind news', { endingDigest: 'd' }, { ...SEEN_END, hasNewsBefore: true }, 'end'],
  ['an end seen before, behind nothing but replays, is a replay', {}, SEEN_END, 'replay'],
  ['an end never seen before counts even behind replays', {}, ENDING, 'end'],
  ['an end with a new id counts', ENDED, { ...ENDING, hasId: true }, 'end'],
  [
    'idleness equal to the one that stands is a replay',
    { isAtRest: true, endingDigest: 'd' },
    { ...SEEN_END, kind: 'idle' },
    'replay',
  ],
  ['a step from before the end is belated', { ...ENDED, endingOccurredAtMs: 50 }, { occurredAtMs: 49 }, 'belated'],
  [
    'a step from before the end is belated, also at a step that is known',
    { ...ENDED, endingOccurredAtMs: 50 },
    { occurredAtMs: 49, step: 1 },
    'belated',
  ],
  [
    'a step from before the end is belated, also without a number',
    { ...ENDED, endingOccurredAtMs: 50 },
    { occurredAtMs: 49, step: null },
    'belated',
  ],
  ['a step as old as the end goes on', { ...ENDED, endingOccurredAtMs: 50 }, { occurredAtMs: 50 }, 'append'],
  [
    'a step from before an end that news has undone goes on',
    { endingOccurredAtMs: 50 },
    { occurredAtMs: 49 },
    'append',
  ],
  [
    'a grown turn start is a new turn whatever the time',
    { ...ENDED, endingOccurredAtMs: 50 },
    { occurredAtMs: 49, step: 0, turnStart: 3 },
    'new-attempt',
  ],
  [
    'a repeated start is a new turn whatever the time',
    { ...RESTARTED, endingOccurredAtMs: 50 },
    { occurredAtMs: 49, step: 0 },
    'new-attempt',
  ],
  [
    'a step from before both the end and the restart is belated',
    { ...RESTARTED, endingOccurredAtMs: 50, markOccurredAtMs: 60 },
    { occurredAtMs: 49 },
    'belated',
  ],
  ['a step of a cancelled run is belated, however new', CANCELLED, { hasId: true, occurredAtMs: 99 }, 'belated'],
  ['a grown turn start after a cancellation is a new turn', CANCELLED, { turnStart: 3 }, 'append'],
  ['an end of a cancelled run is late', CANCELLED, { ...ENDING, hasId: true }, 'late'],
  ['idleness of a cancelled run is late', CANCELLED, { ...ENDING, kind: 'idle' }, 'late'],
  ['a start of a cancelled run marks it', CANCELLED, STARTED, 'mark'],
  ['the start that somebody has cancelled comes late', CANCELLED, { ...STARTED, isCancelledStart: true }, 'late'],
  ['a step after such a start counts', { ...CANCELLED, isMarked: true }, {}, 'append'],
  [
    'an end after such a start counts, even one that came late before',
    { ...CANCELLED, isMarked: true, endingDigest: 'd' },
    LONE_END,
    'end',
  ],
];

describe('the rules that tell news from replays', () => {
  it.each(ROWS)('%s', (_sentence, run, event, decision) => {
    expect(decide(run && { ...RUN, ...run }, { ...CHECKPOINT, ...event })).toBe(decision);
  });
});
