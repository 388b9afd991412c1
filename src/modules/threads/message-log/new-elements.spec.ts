import { formatRanges } from './ranges.js';
import { elementsOf, lastElements, newElements, NO_ELEMENTS } from './new-elements.js';

const lists = (history: string, history_meta: string) => elementsOf({ history, history_meta });
const texts = ({ history, meta }: ReturnType<typeof lists>) => [formatRanges(history), formatRanges(meta)];

type Columns = [history: string, historyMeta: string];

describe('What a checkpoint added', () => {
  it.each<[string, Columns, Columns, Columns]>([
    ['all of the first step', ['', ''], ['0-3', '0-3'], ['0-3', '0-3']],
    ['the messages at the end', ['0-3', '0-3'], ['0-5', '0-5'], ['4-5', '4-5']],
    ['what follows a trimmed history', ['0-3', '0-3'], ['2-5', '2-5'], ['4-5', '4-5']],
    ['a summary before what was kept', ['0-9', '0-9'], ['0,10,6-9,11', '0,10,6-9,11'], ['10,11', '10,11']],
    ['an edited message, with the metadata that it kept', ['0-3', '0-3'], ['0-2,4', '0-3'], ['4', '3']],
    ['no metadata where there is none', ['0-1', '0-1'], ['0-3', '0-1'], ['2-3', '']],
    ['metadata without a message', ['0-3', '0-3'], ['', '0-4'], ['', '4']],
    ['nothing', ['0-3', '0-3'], ['0-3', '0-3'], ['', '']],
  ])('is %s', (_, before, now, added) => {
    expect(texts(newElements(lists(...now), lists(...before)))).toEqual(added);
  });

  it('is compared with the last lists that were not empty', () => {
    const waiting = lastElements(lists('', '0-4'), lists('0-3', '0-3'));
    expect(texts(waiting)).toEqual(['0-3', '0-4']);
    expect(texts(newElements(lists('0-5', '0-5'), waiting))).toEqual(['4-5', '4-5']);
    expect(lastElements(NO_ELEMENTS, NO_ELEMENTS)).toEqual(NO_ELEMENTS);
  });
});
