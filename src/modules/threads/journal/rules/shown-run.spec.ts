import { shownRun, type ChainLink } from './shown-run.js';

/** `child<parent`, held runs with `!`; the first run is the one that last made progress. */
type Row = [sentence: string, runs: string, shown: string];

const ROWS: Row[] = [
  ['a run that names no parent is shown', 'a', 'a'],
  ['the caller of a sub-run is shown', 's<a a', 'a'],
  ['the top of a longer chain is shown', 's<r r<a a', 'a'],
  ['a parent that the thread does not know ends the chain', 's<r r<x', 'r'],
  ['a run whose parent is unknown is shown itself', 's<x', 's'],
  ['a sub-run that is held is shown', 's!<a a', 's'],
  ['a run on the way that is held is shown', 's<r r!<a a', 'r'],
  ['a caller that is held is shown', 's<a a!', 'a'],
  ['a run that names itself is shown', 'a<a', 'a'],
  ['a circle ends the chain before it closes', 'a<b b<c c<a', 'c'],
  ['a circle further up ends the chain, too', 's<a a<b b<a', 'b'],
];

function read(text: string): ChainLink<string> {
  const [name, parent] = text.split('<');
  return { key: name!.replace('!', ''), parent: parent ?? null, isHeld: name!.endsWith('!') };
}

describe('The run that a thread shows', () => {
  it.each(ROWS)('%s', async (_, runs, shown) => {
    const links = runs.split(' ').map(read);
    const find = async (key: string) => links.find((link) => link.key === key) ?? null;
    expect(await shownRun(links[0]!, find)).toMatchObject({ key: shown });
  });

  it('is looked for at most 64 runs away', async () => {
    const link = (depth: number): ChainLink => ({ key: depth, parent: depth + 1, isHeld: false });
    const find = async (depth: number) => link(depth);
    expect(await shownRun(link(1), find)).toMatchObject({ key: 64 });
  });
});
