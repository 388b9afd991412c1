import { parseExact } from '../../../src/common/exact-number.js';
import { differs, diffJson, diffTexts, type DiffLine } from './json-diff.js';

const SIGNS = { same: ' ', added: '+', removed: '-', fold: '…' };
const outline = (lines: readonly DiffLine[]) =>
  lines.map((line) => (line.kind === 'fold' ? `… ${line.lines.length}` : `${SIGNS[line.kind]} ${line.text}`));

describe('differences of JSON', () => {
  it('shows what changed, digit by digit', () => {
    const before = parseExact('{"order":9007199254740993,"eur":1}');
    const after = parseExact('{"order":9007199254740992,"eur":1}');
    expect(outline(diffJson(before, after))).toEqual([
      '  {',
      '-   "order": 9007199254740993,',
      '+   "order": 9007199254740992,',
      '    "eur": 1',
      '  }',
    ]);
  });

  it('folds what is equal for long', () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}`);
    const changed = lines.with(10, 'changed');
    expect(outline(diffTexts(lines.join('\n'), changed.join('\n')))).toEqual([
      '… 7',
      '  line 7',
      '  line 8',
      '  line 9',
      '- line 10',
      '+ changed',
      '  line 11',
      '  line 12',
      '  line 13',
      '… 6',
    ]);
  });

  it('says where nothing differs', () => {
    const lines = diffJson({ a: [1, 2, 3] }, { a: [1, 2, 3] });
    expect([differs(lines), outline(lines)]).toEqual([false, ['… 7']]);
  });
});
