import { Reporter } from './reporter.js';
import { isThreadsOwn, STANDING } from './standing.js';

const { guest, first, own } = STANDING;

/** Whose token began the run, and the thread's agents. */
type Row = [sentence: string, binding: string[] | null, agents: Record<string, number>, isOwn: boolean];

const ROWS: Row[] = [
  ['a run of an unbound token is', null, { a: guest, b: own }, true],
  ['a run of the bound token that began the thread is', ['a'], { a: first, b: guest }, true],
  ['a run of the bound token that began the thread is not once another is at home', ['a'], { a: first, b: own }, false],
  ['a run of a bound token that joined is not', ['b'], { a: first, b: guest }, false],
  ['a run of an agent at home is, also where another began the thread', ['b'], { a: first, b: own }, true],
  ['a run of a sub-agent of an agent at home is', ['b'], { b: own, 'b:x': guest }, true],
  ['a run of a token for several is, where one of them is at home', ['a', 'b'], { a: guest, b: own }, true],
  ['a run in a thread that knows no agent of its token is not', ['a'], { b: guest }, false],
];

describe("Whether a run is a thread's own", () => {
  it.each(ROWS)('%s', (_, agentIds, agents, isOwn) => {
    const standings = Object.entries(agents).map(([agent_id, standing]) => ({ agent_id, standing }));
    expect(isThreadsOwn(new Reporter(agentIds).binding, standings)).toBe(isOwn);
  });
});
