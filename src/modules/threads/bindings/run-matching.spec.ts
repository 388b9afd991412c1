import { Reporter } from './reporter.js';
import { matchRun, type EventSource } from './run-matching.js';

const ALL = new Reporter(null);
const A = new Reporter(['a']);
const BOTH = new Reporter(['b', 'a']);

/** Runs with one trace as `agent@binding`; the number of the run that is meant, or 0 for a new one. */
type Row = [
  sentence: string,
  runs: string,
  reporter: Reporter,
  kind: EventSource['kind'],
  agent: string | null,
  no: number,
];

const ROWS: Row[] = [
  ['a bound token means the run of its agent', 'a@a', A, 'checkpoint', 'a', 1],
  ['a bound token means the run that another began for its agent', 'a', A, 'checkpoint', null, 1],
  ['a bound token means the run of its sub-agent', 'a:x', A, 'checkpoint', 'a', 1],
  ['a bound token does not mean the run of others', 'b b@b', A, 'checkpoint', 'a', 0],
  ['a bound token does not mean the run of others without a name, either', 'b', A, 'ending', null, 0],
  ['a token for several means the run of the agent that it names', 'a@a b@b', BOTH, 'checkpoint', 'b', 2],
  ['a token for several means the first where it names none', 'a@a b@b', BOTH, 'checkpoint', null, 1],
  ['an unbound token means its own run, whatever agent it names', 'a', ALL, 'checkpoint', 'b', 1],
  ['an unbound token means its own run beside that of a bound one', 'b@b a', ALL, 'checkpoint', null, 2],
  ['an unbound token means a bound one where it names its agent', 'b@b', ALL, 'checkpoint', 'b', 1],
  ['an unbound token means a bound one where it names its sub-agent', 'b@b', ALL, 'started', 'b:x', 1],
  ['an unbound token adds nothing worth reading to the run of others', 'b@b', ALL, 'checkpoint', 'a', 0],
  ['an unbound token adds nothing worth reading without a name', 'b@b', ALL, 'checkpoint', null, 0],
  ['an unbound token ends the only run that it can mean', 'b@b', ALL, 'ending', null, 1],
  ['an unbound token ends none of others', 'b@b', ALL, 'ending', 'a', 0],
];

describe('Of the runs with one trace', () => {
  it.each(ROWS)('%s', (_, text, reporter, kind, agentId, no) => {
    const runs = text.split(' ').map((run, index) => {
      const [agent, by] = run.split('@');
      return { run_no: index + 1, agent_id: agent!, began_by: by === undefined ? null : new Reporter([by]).binding };
    });
    expect(matchRun(runs, { kind, agentId }, reporter)?.run_no ?? 0).toBe(no);
  });

  it('tokens of the same agents are one reporter', () => {
    expect(new Reporter(['a', 'b', 'a']).binding).toBe(BOTH.binding);
  });
});
