import { formatAge, formatCompact, formatCost, formatCount, formatDuration } from './format.js';

describe('format', () => {
  it.each([
    [0, '$0.00'],
    [0.0071, '$0.0071'],
    [1.1034, '$1.103'],
    [1234.5, '$1,234.50'],
  ])('writes %s dollars as %s', (usd, text) => expect(formatCost(usd)).toBe(text));

  it.each([
    [400, '0.4 s'],
    [42_000, '42 s'],
    [185_000, '3:05'],
    [7_800_000, '2:10:00'],
    [273_600_000, '3 d 4 h'],
    [Number.NaN, '—'],
    [-5, '—'],
  ])('writes %s ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [500, 'now'],
    [40_000, '40 s'],
    [420_000, '7 min'],
    [10_800_000, '3 h'],
    [172_800_000, '2 d'],
  ])('says how long %s ms ago is: %s', (ms, text) => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    expect(formatAge(new Date(now - ms).toISOString(), now)).toBe(text);
  });

  it('groups digits, or shortens them', () => {
    expect([formatCount(48_211), formatCompact(48_211)]).toEqual(['48,211', '48.2K']);
  });
});
