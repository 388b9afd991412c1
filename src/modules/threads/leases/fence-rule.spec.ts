import { isStale, type FencedLease } from './fence-rule.js';

const held = (fence: number): FencedLease => ({ fence, isReleased: false });
const released = (fence: number): FencedLease => ({ fence, isReleased: true });

/** `leases` of the run and its callers, the nearest first; `fence` null for none, `implied` for the token's. */
type Row = [sentence: string, leases: FencedLease[], fence: number | null, isStale: boolean];

const ROWS: Row[] = [
  ['a run that was never leased takes what names no fence', [], null, false],
  ['a run that was never leased takes no fence', [], 7, true],
  ['a leased run takes its fence', [held(7)], 7, false],
  ['a leased run takes nothing without a fence', [held(7)], null, true],
  ['a leased run takes no older fence', [held(7)], 6, true],
  ['a leased run takes no later fence', [held(7)], 8, true],
  ['a released run takes what names no fence', [released(7)], null, false],
  ['a released run takes its last fence', [released(7)], 7, false],
  ['a released run takes no older fence', [released(7)], 6, true],
  ['a sub-run takes its own fence', [held(7), held(3)], 7, false],
  ['a sub-run with a lease does not take the fence of its caller', [held(7), held(3)], 3, true],
  ['a sub-run that was released takes the fence of its caller', [released(7), held(3)], 3, false],
  ['a sub-run that was released does not take its own where its caller is leased', [released(7), held(3)], 7, true],
  [
    'a sub-run that was released takes nothing without a fence where its caller is leased',
    [released(7), held(3)],
    null,
    true,
  ],
  ['a sub-run of two released runs takes the nearest fence', [released(7), released(3)], 7, false],
  ['a sub-run of two released runs does not take the other', [released(7), released(3)], 3, true],
];

describe('By its leases', () => {
  it.each(ROWS)('%s', (_, leases, fence, expected) => {
    expect(isStale({ fence }, leases)).toBe(expected);
  });

  it('the fence of a token says nothing of a run that was never leased, and counts like any other elsewhere', () => {
    expect(isStale({ fence: 7, isImplied: true }, [])).toBe(false);
    expect(isStale({ fence: 7, isImplied: true }, [held(7)])).toBe(false);
    expect(isStale({ fence: 7, isImplied: true }, [held(8)])).toBe(true);
    expect(isStale({ fence: 7, isImplied: true }, [released(8)])).toBe(true);
  });
});
