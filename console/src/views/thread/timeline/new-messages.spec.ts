import type { Step } from '../data/steps.js';
import { newMessages } from './new-messages.js';

const step = (trace_id: string, history_places: string, history_meta_places: string) =>
  ({ trace_id, history_places, history_meta_places }) as Step;
const found = (...steps: Step[]) =>
  newMessages(steps).map((messages) => messages.map(({ place, metaPlace }) => `${place}/${metaPlace}`));

describe('The messages that a step brought', () => {
  it('are those that no earlier step of the run had', () => {
    expect(found(step('a', '0-1', '0-1'), step('a', '0-3', '0-3'), step('b', '1-2', ''))).toEqual([
      ['0/0', '1/1'],
      ['2/2', '3/3'],
      ['1/-1', '2/-1'],
    ]);
  });

  it('have the metadata at the same index, also of lists in several ranges', () => {
    expect(found(step('a', '0-1,5', '2-4'), step('a', '9,5-7', '2,10-12'))).toEqual([
      ['0/2', '1/3', '5/4'],
      ['9/2', '6/11', '7/12'],
    ]);
  });

  it('keep the list of metadata that was not reported again', () => {
    expect(found(step('a', '0-1', '0-3'), step('a', '0-2', ''))).toEqual([['0/0', '1/1'], ['2/2']]);
  });
});
