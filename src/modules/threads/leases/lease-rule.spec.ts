import { decideLease, isLive, nextFence, type LeaseClaim, type LeaseDecision } from './lease-rule.js';

const NOW = 1_000_000;
const MINUTE = 60_000;

const LIVE = { holder: 'a', fence: 7, ttl_ms: MINUTE, expires_at: NOW + 1, released_at: null };
const RUN_OUT = { ...LIVE, expires_at: NOW };
const FAR = { ...LIVE, expires_at: NOW + MINUTE + 1 };
const RELEASED = { ...LIVE, released_at: NOW - 1 };

function claimOf(holder: string, more: Partial<LeaseClaim> = {}): LeaseClaim {
  return { holder, ttlMs: MINUTE, fence: null, isForced: false, ...more };
}

type Row = [sentence: string, lease: typeof LIVE | typeof RELEASED | null, claim: LeaseClaim, decision: LeaseDecision];

const ROWS: Row[] = [
  ['the first gets it', null, claimOf('a'), 'grant'],
  ['its holder renews it', LIVE, claimOf('a'), 'renew'],
  ['another does not get it', LIVE, claimOf('b'), 'held'],
  ['another gets it once it has run out', RUN_OUT, claimOf('b'), 'grant'],
  ['another gets it where it ends further ahead than it can', FAR, claimOf('b'), 'grant'],
  ['its holder renews it after it has run out, if nobody else came', RUN_OUT, claimOf('a'), 'renew'],
  ['whoever comes after its release gets it', RELEASED, claimOf('b'), 'grant'],
  ['its holder gets a new one after its release', RELEASED, claimOf('a'), 'grant'],
  ['the current fence hands it over', LIVE, claimOf('b', { fence: 7 }), 'grant'],
  ['the current fence hands it over to the same name, too', LIVE, claimOf('a', { fence: 7 }), 'grant'],
  ['the current fence hands it over after it has run out', RUN_OUT, claimOf('b', { fence: 7 }), 'grant'],
  ['the last fence is good for a new one after its release', RELEASED, claimOf('b', { fence: 7 }), 'grant'],
  ['another fence hands nothing over', LIVE, claimOf('b', { fence: 6 }), 'held'],
  ['a handover whose answer got lost gets its fence again', LIVE, claimOf('a', { fence: 6 }), 'renew'],
  ['who comes back with an old fence learns that others had it', RUN_OUT, claimOf('b', { fence: 6 }), 'stale'],
  ['who comes back with an old fence learns it after the release, too', RELEASED, claimOf('b', { fence: 6 }), 'stale'],
  ['who comes back with a fence that nobody knows learns it', null, claimOf('b', { fence: 6 }), 'stale'],
  ['it can be taken', LIVE, claimOf('b', { isForced: true }), 'grant'],
  ['it can be taken from the same name', LIVE, claimOf('a', { isForced: true, fence: 6 }), 'grant'],
];

describe('Of a lease', () => {
  it.each(ROWS)('%s', (_, lease, claim, decision) => {
    expect(decideLease(lease, claim, NOW)).toBe(decision);
  });

  it('everybody knows whether it is live', () => {
    expect([LIVE, RUN_OUT, FAR, RELEASED].map((lease) => isLive(lease, NOW))).toEqual([true, false, false, false]);
  });

  it('the fence is the time, or one more than the last where the clock was set back', () => {
    expect([nextFence(0, NOW), nextFence(NOW, NOW), nextFence(NOW + 5, NOW)]).toEqual([NOW, NOW + 1, NOW + 6]);
  });
});
