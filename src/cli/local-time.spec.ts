import { durationText, localClock, localDay, localTime } from './local-time.js';

describe('A time for the reader', () => {
  it('is one of the zone of this process', () => {
    const iso = new Date(2026, 10, 20, 3, 4, 5).toISOString();
    expect([localTime(iso), localDay(iso), localClock(iso)]).toEqual(['2026-11-20 03:04:05', '2026-11-20', '03:04:05']);
  });

  it('stays what it was if it is none', () => {
    expect([localTime('soon'), localDay('soon'), localClock('')]).toEqual(['soon', '', '']);
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [4210, '4.2 s'],
    [59_990, '1 min 0 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('%i ms take %s', (ms, shown) => {
    expect(durationText(ms)).toBe(shown);
  });
});
