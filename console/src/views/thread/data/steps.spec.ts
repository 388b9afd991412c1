import { changedPart, findStep, historyAt, newIndexes, stepBefore, withFresh, type Step } from './steps.js';

function step(trace_id: string, attempt: number, step_index: number, places = '', metaPlaces = ''): Step {
  const cursor = `${trace_id} ${attempt} ${step_index}`;
  const lists = { history_places: places, history_meta_places: metaPlaces };
  return { trace_id, attempt, step_index, cursor, ...lists } as Step;
}
const names = (steps: readonly Step[]) => steps.map(({ cursor }) => cursor);

const STEPS = [step('a', 1, 0), step('a', 1, 1), step('a', 2, 0), step('b', 1, 0), step('b', 1, 5)];

describe('The steps of a thread', () => {
  it.each([
    ['2-0', 'a 2 0'],
    ['1-0', 'a 1 0'],
    ['0', 'a 2 0'],
    ['1', 'a 1 1'],
    ['2-1', undefined],
    ['7', undefined],
  ])('are found as %s', (name, cursor) => expect(findStep(STEPS.slice(0, 3), name)?.cursor).toBe(cursor));

  it.each<[string, string, number | null, string | null]>([
    ['the last step, which was reported again', 'b', 5, 'b 1 0'],
    ['the status of a run', 'b', null, 'b 1 0'],
    ['a further step', 'a', 1, 'a 1 1'],
    ['the only step', 'c', 0, null],
    ['an earlier step, or a new attempt', 'b', 0, null],
  ])('are loaded again from where they changed: %s', (_, traceId, stepIndex, after) => {
    expect(changedPart(STEPS, traceId, stepIndex).after?.cursor ?? null).toBe(after);
  });

  it('keep their order when a part of a run was loaded again', () => {
    const part = changedPart(STEPS, 'a', 1);
    expect(names(withFresh(STEPS, part, [step('a', 2, 0), step('a', 2, 1)]))).toEqual([
      ...['a 1 0', 'a 1 1', 'a 2 0', 'a 2 1'],
      ...['b 1 0', 'b 1 5'],
    ]);
    const whole = changedPart(STEPS, 'a', -1);
    expect(names(withFresh(STEPS, whole, [step('a', 1, 0)]))).toEqual(['a 1 0', 'b 1 0', 'b 1 5']);
    expect(names(withFresh(STEPS, changedPart(STEPS, 'c', 0), [step('c', 1, 0)])).at(-1)).toBe('c 1 0');
    expect(names(withFresh([], changedPart([], 'c', 0), [step('c', 1, 0)]))).toEqual(['c 1 0']);
  });

  it('have the last lists that were not left out', () => {
    const run = [step('a', 1, 0, '0-1', '0-1'), step('a', 1, 1, '', '0-2'), step('a', 1, 2, '4,1', '')];
    expect(run.map((one) => historyAt(run, one))).toEqual([
      { places: [0, 1], metaPlaces: [0, 1] },
      { places: [0, 1], metaPlaces: [0, 1, 2] },
      { places: [4, 1], metaPlaces: [0, 1, 2] },
    ]);
    expect(stepBefore(run, run[2]!)).toBe(run[1]);
    expect(stepBefore(run, run[0]!)).toBeUndefined();
  });

  it('bring new messages, also where a summary stands before what was kept', () => {
    const history = (places: number[]) => ({ places, metaPlaces: [] });
    expect(newIndexes(history([0, 1, 2, 3]), history([0, 1]))).toEqual([2, 3]);
    expect(newIndexes(history([0, 10, 6, 7, 11]), history([0, 1, 6, 7]))).toEqual([1, 4]);
  });
});
