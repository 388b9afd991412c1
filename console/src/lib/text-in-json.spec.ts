import { isLog, textInJson } from './text-in-json.js';

const TRACEBACK =
  'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    __init__()\nValueError: no';

describe('Texts in results', () => {
  it('are found where a member or the whole result has several lines', () => {
    expect(textInJson(JSON.stringify(TRACEBACK))).toEqual([{ name: null, text: TRACEBACK, isLong: true }]);
    expect(textInJson(JSON.stringify({ code: 1, stderr: TRACEBACK }))).toEqual([
      { name: 'code', text: '1', isLong: false },
      { name: 'stderr', text: TRACEBACK, isLong: true },
    ]);
    for (const json of ['{"a": "one line"}', '["x\\ny\\nz"]', '17', 'plain\ntext\nhere', '{"broken', '"two\\nlines"'])
      expect([json, textInJson(json)]).toEqual([json, null]);
  });

  it('keep every digit of a number beside them', () => {
    expect(textInJson('{"id": 9007199254740993, "log": "a\\nb\\nc"}')?.[0]).toMatchObject({ text: '9007199254740993' });
  });

  it('are told from Markdown by the lines of stacks and logs', () => {
    const log = '2026-11-26 10:00:01 INFO start\n2026-11-26 10:00:02 INFO work\n2026-11-26 10:00:03 ERROR end';
    const stack = 'TypeError: no\n    at one (a.js:1:2)\n    at two (b.js:3:4)';
    for (const text of [TRACEBACK, log, stack]) expect(isLog(text)).toBe(true);
    for (const text of ['# A title\n\n- one\n- two', 'It failed at 10:00.', 'INFO is a level'])
      expect([text, isLog(text)]).toEqual([text, false]);
  });
});
