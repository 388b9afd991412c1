import { Reporter } from './reporter.js';
import { RunKinship, type KindredRun } from './run-kinship.js';

/** `agent/trace<parent`, oldest first; after `@` the agent whose bound token reports it. */
type Row = [sentence: string, runs: string, viewer: string, seen: string];

const ROWS: Row[] = [
  ['its own run', 'a/1', 'a', 'a/1'],
  ['no run of others', 'a/1 b/2', 'b', 'b/2'],
  ['runs of its sub-agents', 'a/1 a:x/2', 'a', 'a/1 a:x/2'],
  ['what an unbound token puts below its run', 'a/1 b/2<1 c/3<2', 'a', 'a/1 b/2 c/3'],
  ['nothing above its run', 'a/1 b/2<1', 'b', 'b/2'],
  ['nothing beside its run', 'a/1 b/2<1 c/3<1', 'b', 'b/2'],
  ['no run whose token guessed its parent', 'a/1 b@b/2<1', 'a', 'a/1'],
  ['nothing below such a run', 'a/1 b@b/2<1 c/3<2', 'a', 'a/1'],
  ['what its own token puts below its sub-run', 'a@a/1 b/2<1 a:x@a/3<2', 'a', 'a/1 b/2 a:x/3'],
  ['nothing more by naming a parent', 'a/1 b@b/2<1', 'b', 'b/2'],
  ['nothing more by taking the trace of a parent', 'a/1 b@b/1 c/2<1', 'b', 'b/1'],
  ['what is below its run although another took its trace', 'a/1 b@b/1 c/2<1', 'a', 'a/1 c/2'],
  ['nothing that named its trace before it was there', 'c/2<1 b@b/1', 'b', 'b/1'],
  ['what an unbound token puts below a run of its own token', 'a@a/1 c/2<1', 'a', 'a/1 c/2'],
  ['nothing where two bound tokens have the parent', 'a@a/1 b@b/1 c/2<1', 'a', 'a/1'],
  ['no run that names its own trace, which it took before', 'b@b/1 a/1<1', 'b', 'b/1'],
  ['its own in a circle', 'a/1<2 b/2<1', 'a', 'a/1 b/2'],
  ['nothing in a circle of others', 'c/1<2 b/2<1 a/3', 'a', 'a/3'],
];

/** A circle in which each run is named by the next one's token, with runs below it. */
const CIRCLE = 'a@a/1<4 b@b/2<1 c@c/3<2 a@a/4<3 b@a/5<4 c@b/6<5 a@c/7<6';

function read(text: string, index: number): KindredRun & { name: string } {
  const [, agent, by, trace, parent] = /^([^/@]+)(?:@([^/]+))?\/([^<]+)(?:<(.*))?$/.exec(text)!;
  const binding = new Reporter(by === undefined ? null : [by]).binding;
  const names = { agent_id: agent!, trace_id: trace!, parent_trace_id: parent ?? null };
  return { name: `${agent}/${trace}`, run_no: index + 1, ...names, began_by: binding, parent_by: binding };
}

describe('A token that is bound to an agent sees', () => {
  it.each(ROWS)('%s', async (_, text, viewer, seen) => {
    const runs = text.split(' ').map(read);
    const kinship = new RunKinship<(typeof runs)[number]>((trace) => runs.filter(({ trace_id }) => trace_id === trace));
    const visible = [];
    for (const run of runs) if (await kinship.isVisible(run, new Reporter([viewer]))) visible.push(run.name);
    expect(visible.join(' ')).toBe(seen);
  });
});

describe('Which run called which', () => {
  it('does not depend on what was asked before', async () => {
    const runs = CIRCLE.split(' ').map(read);
    const kinshipOf = () =>
      new RunKinship<(typeof runs)[number]>((trace) => runs.filter((run) => run.trace_id === trace));
    const callersIn = async (kinship: RunKinship<(typeof runs)[number]>, run: (typeof runs)[number]) =>
      (await kinship.callersOf(run)).map(({ name }) => name).join(' ');
    const alone = await Promise.all(runs.map((run) => callersIn(kinshipOf(), run)));
    for (const order of [runs, [...runs].reverse()]) {
      const kinship = kinshipOf();
      for (const run of order) expect(await callersIn(kinship, run)).toBe(alone[runs.indexOf(run)]);
    }
  });

  it('is followed over sixty-four links, and no further', async () => {
    const runs = Array.from({ length: 80 }, (_, at) => read(`a/${at + 1}${at === 0 ? '' : `<${at}`}`, at));
    const kinship = new RunKinship<(typeof runs)[number]>((trace) => runs.filter((run) => run.trace_id === trace));
    expect(await kinship.callersOf(runs[79]!)).toHaveLength(64);
    expect(await kinship.callersOf(runs[10]!)).toHaveLength(10);
  });
});
