import fc from 'fast-check';
import { JsonCheck } from './json-check.js';

/** Bytes that are invalid in or end a string, a number or a word. */
const NOISE = ['', ',', '}', ']', '"', ':', ' ', '\t', '\\', '\\u00g0', '\u0000', '\u001f', '\u007f', 'é', '\ufeff'];
const TOKENS = ['0', '-', '.', 'e', 'E+', 'x', 'true', 'nul'];

const brokenTexts = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...NOISE, ...TOKENS))
  .map(([json, at, dropped, noise]) => {
    const cut = at % json.length;
    return json.slice(0, cut) + noise + json.slice(cut + dropped);
  });

describe('JsonCheck', () => {
  it('accepts exactly what JSON.parse accepts, in slices of any size', () => {
    const property = fc.property(brokenTexts, fc.integer({ min: 1, max: 9 }), (text, stride) => {
      const check = new JsonCheck(Buffer.from(text));
      while (!check.advance(stride));
      expect(check.fault === null).toBe(isJson(text));
    });
    fc.assert(property, { numRuns: 5000 });
  });

  it('finds where one value ends, whatever follows it, and whether it ends in time', () => {
    const property = fc.property(brokenTexts, fc.constantFrom('', ',', ' ', ']', 'x'), (text, behind) => {
      fc.pre(isJson(text) && /["\]}]$/.test(text));
      const bytes = Buffer.from(`[ ${text}${behind}`);
      const end = bytes.length - behind.length;
      expect(new JsonCheck(bytes).endOfValue(2, bytes.length)).toBe(end);
      const cut = new JsonCheck(bytes);
      expect(cut.endOfValue(2, end - 1)).toBe(-1);
      expect(cut.fault).toBeNull();
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
