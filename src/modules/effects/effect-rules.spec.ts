import type { Effect } from './effect.entity.js';
import {
  decideClaim,
  decideSettling,
  doubtOf,
  type ClaimFacts,
  type LeaseFacts,
  type SettlingWords,
} from './effect-rules.js';

const NOW = 1_000_000;
const CALL = { tool: 'refund', kind: 'write', argsDigest: 'd' } as const;

const EFFECT = {
  ...{ tool: 'refund', kind: 'write', args_digest: 'd', state: 'started', attempt: 1, claim_id: 'c1' },
  ...{ is_leased: false, fence: null, is_unknown: false, is_met: false, started_at: NOW, doubt_after_seconds: 300 },
  ...{ settled_by: null, result: null, result_omitted: false, error: null },
} as Effect;

const FACTS: ClaimFacts = { claimId: 'c2', isFenceStale: false, approval: null, isInDoubt: false };

function effect(change: Partial<Effect>): Effect {
  return { ...EFFECT, ...change };
}

/** `start 2`, `repeat` or a code; `+` if the claim puts the effect in doubt. */
function claimOf(stored: Effect | null, facts: Partial<ClaimFacts>, call = CALL): string {
  const decision = decideClaim(stored, call, { ...FACTS, ...facts });
  if (decision.outcome === 'refuse') return `${decision.code}${decision.meets ? '+' : ''}`;
  return decision.outcome === 'start' ? `start ${decision.attempt}` : decision.outcome;
}

type ClaimRow = [sentence: string, stored: Partial<Effect> | null, facts: Partial<ClaimFacts>, expected: string];

const IDEMPOTENT = { kind: 'idempotent' } as const;

const CLAIMS: ClaimRow[] = [
  ['of something new starts it', null, {}, 'start 1'],
  ['of something new without an id starts it', null, { claimId: null }, 'start 1'],
  ['that comes again gets the same answer', {}, { claimId: 'c1' }, 'repeat'],
  ['that comes again gets it in doubt, too', { is_unknown: true }, { claimId: 'c1', isInDoubt: true }, 'repeat'],
  ['of another makes a doubt where there is no lease', {}, {}, 'effect_in_doubt+'],
  ['without an id is another', { claim_id: null }, { claimId: null }, 'effect_in_doubt+'],
  ['of another makes a doubt once', { is_met: true }, { isInDoubt: true }, 'effect_in_doubt'],
  ['of another waits for the holder of the lease', { is_leased: true }, {}, 'effect_in_flight'],
  ['of another sees that the lease is lost', { is_leased: true }, { isInDoubt: true }, 'effect_in_doubt'],
  ['of what is completed gets the result', { state: 'completed' }, {}, 'completed'],
  ['that comes again after the end gets the result', { state: 'completed' }, { claimId: 'c1' }, 'completed'],
  ['of what failed starts it again', { state: 'failed', attempt: 3 }, {}, 'start 4'],
  ['of what was not done starts it again', { state: 'not_done' }, {}, 'start 2'],
  ['that comes late begins no attempt', { state: 'failed' }, { claimId: 'c1' }, 'effect_settled'],
  ['with a stale fence is refused before all else', { tool: 'x' }, { isFenceStale: true }, 'stale_fence'],
  ['of another tool is refused', { tool: 'x' }, { approval: 'pending' }, 'effect_mismatch'],
  ['of another kind is refused', IDEMPOTENT, {}, 'effect_mismatch'],
  [
    'of other arguments is refused, also after the end',
    { args_digest: 'x', state: 'completed' },
    {},
    'effect_mismatch',
  ],
  ['waits for the approval', null, { approval: 'pending' }, 'approval_pending'],
  ['is rejected with its call', { state: 'failed' }, { approval: 'rejected' }, 'effect_rejected'],
  ['ends with its approval', {}, { approval: 'superseded' }, 'approval_superseded'],
  ['of other arguments than approved is refused', null, { approval: 'other_args' }, 'effect_not_approved'],
  ['of an approved call starts it', null, { approval: 'approved' }, 'start 1'],
];

const SETTLING: SettlingWords = {
  ...{ attempt: 1, outcome: 'completed', result: null, resultOmitted: false, error: null, by: 'holder' },
};

function settlingOf(stored: Partial<Effect>, words: Partial<SettlingWords>): string {
  const isEqual = (one: string, other: string) => one === other;
  const decision = decideSettling(effect(stored), { ...SETTLING, ...words }, isEqual);
  if (decision.outcome === 'refuse') return decision.code;
  return decision.outcome === 'settle' ? decision.state : decision.outcome;
}

type SettlingRow = [sentence: string, stored: Partial<Effect>, words: Partial<SettlingWords>, expected: string];

const BY_OTHER = { settled_by: 'other' } as const;

const SETTLINGS: SettlingRow[] = [
  ['ends what was started', {}, {}, 'completed'],
  ['ends what was in doubt', { is_unknown: true }, { outcome: 'not_done', by: 'other' }, 'not_done'],
  ['that does not know makes a doubt', {}, { outcome: 'unknown' }, 'doubt'],
  ['that does not know changes nothing again', { is_unknown: true }, { outcome: 'unknown' }, 'repeat'],
  ['that does not know is refused at the end', { state: 'completed' }, { outcome: 'unknown' }, 'effect_settled'],
  ['of an older attempt is stale', { attempt: 2 }, {}, 'stale_attempt'],
  ['of an attempt that nobody began is stale', {}, { attempt: 2 }, 'stale_attempt'],
  ['comes again', { state: 'completed', result: '1' }, { result: '1' }, 'repeat'],
  ['comes again without its result', { state: 'completed', result: '1' }, {}, 'repeat'],
  ['with another result is refused', { state: 'completed', result: '1' }, { result: '2' }, 'effect_settled'],
  ['with an error beside the same result is refused', { state: 'completed' }, { error: '1' }, 'effect_settled'],
  ['with another outcome is refused', { state: 'failed', settled_by: 'holder' }, {}, 'effect_settled'],
  ['by the holder replaces what another denied', { state: 'not_done', ...BY_OTHER }, {}, 'completed'],
  ['by the holder replaces what another called failed', { state: 'failed', ...BY_OTHER }, {}, 'completed'],
  [
    'by the holder as failed replaces nothing',
    { state: 'not_done', ...BY_OTHER },
    { outcome: 'failed' },
    'effect_settled',
  ],
  ['by others replaces nothing', { state: 'not_done', ...BY_OTHER }, { by: 'other' }, 'effect_settled'],
  [
    'by the certain holder replaces a likely one',
    { state: 'failed', settled_by: 'holder' },
    { by: 'claim' },
    'completed',
  ],
  ['by the holder adds its result', { state: 'completed', ...BY_OTHER }, { result: '1' }, 'completed'],
  ['by others adds no result', { state: 'completed', ...BY_OTHER }, { result: '1', by: 'other' }, 'effect_settled'],
];

type DoubtRow = [
  sentence: string,
  stored: Partial<Effect>,
  lease: LeaseFacts | null,
  nowMs: number,
  dueMs: number | 'now' | null,
];

const LEASED = { is_leased: true, fence: 7 } as const;
const LIVE: LeaseFacts = { fence: 7, liveUntilMs: NOW + 60_000 };

const DOUBTS: DoubtRow[] = [
  ['a new claim without a lease', {}, null, NOW, NOW + 300_000],
  ['an old claim without a lease', {}, null, NOW + 300_000, 'now'],
  ['a claim under a live lease', LEASED, LIVE, NOW + 59_999, NOW + 60_000],
  ['a claim whose lease ran out', LEASED, LIVE, NOW + 60_000, 'now'],
  ['a claim whose lease was released', LEASED, { fence: 7, liveUntilMs: null }, NOW, 'now'],
  ['a claim with a new fence since', LEASED, { fence: 8, liveUntilMs: NOW + 60_000 }, NOW, 'now'],
  ['a claim without a lease, leased since', {}, LIVE, NOW, 'now'],
  ['a claim after a release', { fence: 7 }, { fence: 7, liveUntilMs: null }, NOW, NOW + 300_000],
  ['a claim whose holder does not know', { ...LEASED, is_unknown: true }, LIVE, NOW, 'now'],
  ['a claim that another met', { is_met: true }, null, NOW, 'now'],
  ['an idempotent one', { ...IDEMPOTENT, is_unknown: true }, null, NOW + 400_000, null],
  ['a settled one', { state: 'failed', is_unknown: true }, null, NOW + 400_000, null],
];

describe('A claim', () => {
  it.each(CLAIMS)('%s', (_, stored, facts, expected) => {
    expect(claimOf(stored && effect(stored), facts)).toBe(expected);
  });

  it('of a started idempotent effect starts it again', () => {
    const call = { ...CALL, kind: 'idempotent' } as const;
    expect(decideClaim(effect(IDEMPOTENT), call, FACTS)).toEqual({ outcome: 'start', attempt: 2 });
    expect(decideClaim(effect(IDEMPOTENT), call, { ...FACTS, claimId: 'c1' })).toEqual({ outcome: 'repeat' });
  });
});

describe('A settling', () => {
  it.each(SETTLINGS)('%s', (_, stored, words, expected) => {
    expect(settlingOf(stored, words)).toBe(expected);
  });
});

describe('In doubt', () => {
  it.each(DOUBTS)('%s', (_, stored, lease, nowMs, dueMs) => {
    const expected = dueMs === 'now' ? { isInDoubt: true, dueMs: null } : { isInDoubt: false, dueMs };
    expect(doubtOf(effect(stored), lease, nowMs)).toEqual(expected);
  });
});
