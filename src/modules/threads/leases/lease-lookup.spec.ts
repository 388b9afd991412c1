import { Reporter } from '../bindings/reporter.js';
import { leaseOf, leaseOfAnyFutureRun, leaseOfFutureRun, futureRuns } from './lease-lookup.js';
import type { RunLease } from './run-lease.entity.js';

const ALL = new Reporter(null);
const A = new Reporter(['a']);
const BOTH = new Reporter(['b', 'a']);

/** Leases of one trace as `agent@binding/run`: `*` for any agent, no run for a future one; the matching lease, or 0. */
type Row = [sentence: string, leases: string, reporter: Reporter, agent: string | null, no: number];

const ROWS: Row[] = [
  ['of its own, whatever agent it names', 'a', ALL, 'b', 1],
  ['for whatever agent', '*', ALL, 'b', 1],
  ['of an agent that its token speaks for, whoever claimed it', 'a', A, 'a', 1],
  ['of a sub-agent of that', 'a:x', A, null, 1],
  ['of no agent of others', 'b', A, 'a', 0],
  ['of one of several agents, which it names', 'a@a b@b', BOTH, 'b', 2],
  ['of no bound token where it names another agent', 'b@b', ALL, 'a', 0],
  ['of no bound token where it names none', 'b@b', ALL, null, 0],
  ['of a bound token where it names its agent', 'b@b', ALL, 'b', 1],
  ['of no run that is there', 'a/1', ALL, 'a', 0],
  ['of the run that is not there beside one that is', 'a/1 a', ALL, 'a', 2],
];

function leasesOf(text: string): RunLease[] {
  return text.split(' ').map((lease, index) => {
    const [, agent, by, run] = /^([^@/]+)(?:@([^/]+))?(?:\/(\d+))?$/.exec(lease)!;
    const binding = by === undefined ? null : new Reporter([by]).binding;
    const of = { trace_id: 't', lease_no: index + 1, run_no: Number(run ?? 0), began_by: binding };
    return { ...of, agent_id: agent === '*' ? null : agent! } as RunLease;
  });
}

describe('Before its run begins, a report needs the lease', () => {
  it.each(ROWS)('%s', (_, text, reporter, agentId, no) => {
    expect(leaseOfFutureRun(leasesOf(text), agentId, reporter)?.lease_no ?? 0).toBe(no);
  });

  it('that was claimed for any agent by a token which may speak for all', () => {
    expect(leaseOfFutureRun(leasesOf('*'), 'a', A)).toBeNull();
    expect(leaseOfAnyFutureRun(leasesOf('a *@b */1 *'))?.lease_no).toBe(4);
  });
});

describe('Among the runs that others name as their parents', () => {
  it('those that are to be count as later than all that are there, and have their leases', () => {
    const leases = leasesOf('a/1 b');
    const [run] = futureRuns(leases);
    expect(run).toMatchObject({ trace_id: 't', agent_id: 'b', parent_trace_id: null });
    expect(run!.run_no).toBeGreaterThan(2 ** 31);
    expect(leaseOf(leases, run!)?.lease_no).toBe(2);
    expect(leaseOf(leases, { run_no: 1 })?.lease_no).toBe(1);
    expect(leaseOf(leases, { run_no: 2 })).toBeNull();
  });
});
