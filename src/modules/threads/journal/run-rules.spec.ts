import { decide, type Decision, type EventFacts, type RunFacts } from './run-rules.js';

const RUN: RunFacts = {
  hasEnded: false,
  isMarked: false,
  markOccurredAtMs: null,
  attemptOccurredAtMs: null,
  highestStep: 3,
  turnStart: 2,
  endingDigest: null,
};

const CHECKPOINT: EventFacts = {
  kind: 'checkpoint',
  hasId: false,
  isKnownId: false,
  occurredAtMs: null,
  step: 4,
  turnStart: 2,
  isKnownReport: false,
  digest: 'd',
  hasOnlyReplaysBefore: false,
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
  ['a start from before the attempt is late', { attemptOccurredAtMs: 100 }, { ...STARTED, occurredAtMs: 9 }, 'late'],
  ['an end from before the attempt is late', { attemptOccurredAtMs: 100 }, { ...ENDING, occurredAtMs: 9 }, 'late'],
  ['an end ends the run', {}, ENDING, 'end'],
  ['an end equal to the one stored is a replay', { endingDigest: 'd' }, ENDING, 'replay'],
  ['another end than the one stored counts', { endingDigest: 'other' }, ENDING, 'end'],
  [
    'an end seen before, behind nothing but replays, is a replay',
    {},
    { ...ENDING, hasOnlyReplaysBefore: true, isKnownReport: true },
    'replay',
  ],
  ['an end never seen before counts even behind replays', {}, { ...ENDING, hasOnlyReplaysBefore: true }, 'end'],
  ['an end seen before counts where it is not among replays', {}, { ...ENDING, isKnownReport: true }, 'end'],
  ['an end with a new id counts', { endingDigest: 'd' }, { ...ENDING, hasId: true }, 'end'],
  ['idleness equal to the one stored is a replay', { endingDigest: 'd' }, { kind: 'idle', step: null }, 'replay'],
];

describe('the rules that tell news from replays', () => {
  it.each(ROWS)('%s', (_sentence, run, event, decision) => {
    expect(decide(run && { ...RUN, ...run }, { ...CHECKPOINT, ...event })).toBe(decision);
  });
});
