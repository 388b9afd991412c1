import { parseExact } from '../../../src/common/exact-number.js';
import { readableJson } from './readable-json.js';

describe('JSON for people', () => {
  it('breaks lines where a text does, and nowhere else', () => {
    const text = String.raw`{"body":"Dear all,\nwe\r\nmoved","path":"C:\\new","quote":"\"n","order":9007199254740993}`;
    expect(readableJson(parseExact(text))).toBe(
      [
        '{',
        '  "body": "Dear all,↵',
        'we↵',
        'moved",',
        String.raw`  "path": "C:\\new",`,
        String.raw`  "quote": "\"n",`,
        '  "order": 9007199254740993',
        '}',
      ].join('\n'),
    );
  });
});
