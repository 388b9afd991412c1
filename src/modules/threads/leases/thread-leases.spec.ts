import type { RunLease } from './run-lease.entity.js';
import { ThreadLeases } from './thread-leases.js';

const lease = (holder: string, no = 1) => ({ trace_id: 't', lease_no: no, holder }) as RunLease;
const [COMMITTED, STORED, CHANGED] = [lease('committed'), lease('stored'), lease('changed')];

/** Reads or changes the leases of one trace in a transaction. */
type Act = (leases: ThreadLeases) => void;
const read: Act = (leases) => leases.learn('t', [STORED]);
const change: Act = (leases) => leases.put(CHANGED);

describe('Of the leases of a trace', () => {
  it.each<[string, Act[], string, boolean]>([
    ['those that this process has committed count where nothing was read', [], 'committed', false],
    ['stored ones count before those, because others may have renewed them', [read], 'stored', true],
    ['changed ones count before stored ones', [read, change], 'changed', true],
    ['changed ones count before what is read behind them', [change, read], 'changed', true],
  ])('%s', (_, acts, holder, isFresh) => {
    const leases = new ThreadLeases(new Map([['t', [COMMITTED]]]));
    for (const act of acts) act(leases);
    expect([leases.ofTrace('t')?.map((one) => one.holder), leases.isFresh('t')]).toEqual([[holder], isFresh]);
  });

  it('the others stay as they are where one is changed', () => {
    const leases = new ThreadLeases(new Map());
    leases.learn('t', [STORED, lease('another', 2)]);
    leases.put(CHANGED);
    expect(leases.ofTrace('t')?.map(({ holder }) => holder)).toEqual(['another', 'changed']);
    expect([...leases.changed]).toEqual([CHANGED]);
  });
});
