import fc from 'fast-check';
import { findJsonFault } from './json-fault.js';

describe('The place where JSON breaks', () => {
  it.each([
    ['', 1, 1, 'it is empty'],
    ['{"a": 1,}', 1, 8, 'nothing follows this comma'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a comma or } is missing'],
    ['{a: 1}', 1, 2, 'a name in double quotes is missing'],
    ['{"a" 1}', 1, 6, 'a colon is missing'],
    ['[1, 2', 1, 6, 'a comma or ] is missing'],
    ["['x']", 1, 2, 'texts stand in double quotes'],
    ['["x]', 1, 2, 'this text has no closing quote'],
    ['["x\n"]', 1, 2, 'this text has no closing quote'],
    ['["\\x"]', 1, 3, 'a backslash needs one of " \\ / b f n r t u behind it'],
    ['[01]', 1, 2, 'this is not a number of JSON'],
    ['[1.]', 1, 2, 'this is not a number of JSON'],
    ['{"a":}', 1, 6, 'a value is missing'],
    ['{"a":', 1, 6, 'it ends too early'],
    ['{} {}', 1, 4, 'the value has ended before'],
    ['['.repeat(1_000), 1, 501, 'it is nested deeper than 500 levels'],
  ])('of %j is line %s, column %s: %s', (text, line, column, message) => {
    expect(findJsonFault(text)).toEqual({ line, column, message });
  });

  it('is found exactly where JSON.parse finds one', () => {
    const parses = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(200), fc.constantFrom('', '"', ',', '}', '1', '\\', ' '))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(broken, fc.json(), fc.string()), (text) => {
        expect([text, findJsonFault(text) === null]).toEqual([text, parses(text)]);
      }),
      { numRuns: 2_000 },
    );
  });
});
