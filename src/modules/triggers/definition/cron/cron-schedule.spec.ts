import fc from 'fast-check';
import { firingsByMinute } from '../../../../../test/support/cron-by-minute.js';
import { CronError } from './cron-fields.js';
import { CronSchedule, isTimezone } from './cron-schedule.js';

const DAY_MS = 86_400_000;

/** Days around clock changes, in zones that change at odd times, by odd amounts, or at midnight. */
const CHANGES: [timezone: string, day: string][] = [
  ['UTC', '2028-02-28'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Santiago', '2026-04-05'],
  ['America/Santiago', '2026-09-06'],
  ['Asia/Beirut', '2026-03-29'],
  ['America/Nuuk', '2026-03-29'],
  ['America/Scoresbysund', '2026-03-29'],
  ['America/Nuuk', '2027-03-28'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Asia/Kathmandu', '2026-05-01'],
];

function next(cron: string, timezone: string, from: string, count: number): string[] {
  const schedule = new CronSchedule(cron, timezone);
  const found: string[] = [];
  for (let ms = Date.parse(from); found.length < count;) {
    ms = schedule.nextAfter(ms)!;
    found.push(new Date(ms).toISOString().replace(':00.000', ''));
  }
  return found;
}

function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: max - min + 1 });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(fc.oneof(fc.constant('*'), range), step).map(([span, by]) => `${span}/${by}`),
  );
  const list = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
  return fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, { weight: 3, arbitrary: list });
}

const EXPRESSION = fc
  .tuple(field(0, 59), fc.oneof(field(0, 23), field(0, 4), field(22, 23)), field(1, 28), fc.constant('*'), field(0, 7))
  .map((fields) => fields.join(' '));

describe('A cron schedule', () => {
  it.each(CHANGES)('agrees with a look at every minute in %s around %s', (timezone, day) => {
    const middleMs = Date.parse(`${day}T00:00:00Z`);
    const [fromMs, toMs] = [middleMs - DAY_MS / 2, middleMs + 1.5 * DAY_MS];
    fc.assert(
      fc.property(EXPRESSION, (cron) => {
        const found = new CronSchedule(cron, timezone).latestBetween(fromMs, toMs, 5000).instants;
        expect({ cron, found }).toEqual({ cron, found: firingsByMinute(cron, timezone, fromMs, toMs) });
      }),
      { numRuns: 8 },
    );
  });

  it('agrees with a look at every minute over months of days and weekdays', () => {
    const fromMs = Date.parse('2027-12-20T00:00:00Z');
    for (const cron of ['0 12 29 2 *', '15 3 1,15 * MON', '0 0 */10 JAN-MAR,DEC 5-7']) {
      const found = new CronSchedule(cron, 'Europe/London').latestBetween(fromMs, fromMs + 100 * DAY_MS, 5000).instants;
      expect({ cron, found }).toEqual({
        cron,
        found: firingsByMinute(cron, 'Europe/London', fromMs, fromMs + 100 * DAY_MS),
      });
    }
  });

  it('is due on 29 February, also when the year 2100 has none', () => {
    expect(next('0 0 29 2 *', 'UTC', '2096-03-01', 1)).toEqual(['2104-02-29T00:00Z']);
  });

  it('takes either of day of month and weekday where both are restricted', () => {
    expect(next('0 0 13 * FRI', 'UTC', '2026-02-12', 3)).toEqual([
      '2026-02-13T00:00Z',
      '2026-02-20T00:00Z',
      '2026-02-27T00:00Z',
    ]);
    expect(next('0 0 10 * MON', 'UTC', '2026-02-09T01:00Z', 2)).toEqual(['2026-02-10T00:00Z', '2026-02-16T00:00Z']);
  });

  it('takes names and ranges of names, over the end of the week too, and 7 for Sunday', () => {
    const friday = '2026-11-20T12:00Z';
    expect(next('0 9 * * MON-FRI', 'UTC', friday, 1)).toEqual(['2026-11-23T09:00Z']);
    expect(next('0 9 * * sat-mon', 'UTC', friday, 4)).toEqual(next('0 9 * * 6,7,1', 'UTC', friday, 4));
    expect(next('0 9 * jan sun', 'UTC', friday, 1)).toEqual(next('0 9 * 1 0', 'UTC', friday, 1));
    expect(next('0 9 * * 5-7', 'UTC', friday, 3)).toEqual(next('0 9 * * 0,5,6', 'UTC', friday, 3));
  });

  it('fires right after the gap what the gap has swallowed, once', () => {
    expect(next('15,45 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:15Z',
    ]);
    expect(next('*/20 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)[0]).toBe('2026-03-29T01:00Z');
  });

  it.each(['America/Nuuk', 'America/Scoresbysund'])('fires right after a gap that ends at midnight: %s', (timezone) => {
    expect(next('0 23 * * *', timezone, '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:00Z']);
    expect(next('30 23 28 3 *', timezone, '2026-03-28T12:00Z', 1)).toEqual(['2026-03-29T01:00Z']);
    expect(next('0 0,23 * * *', timezone, '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:00Z']);
  });

  it('fires once at a time of day that comes twice', () => {
    expect(next('0 */2 * * *', 'Europe/Berlin', '2026-10-24T23:00Z', 2)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T03:00Z',
    ]);
  });

  it('keeps a job of every hour going through both changes', () => {
    expect(next('30 * * * *', 'Europe/Berlin', '2026-10-24T23:00Z', 3)).toEqual([
      '2026-10-24T23:30Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
    ]);
    expect(next('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:30Z',
    ]);
  });

  it('gives only the latest of many instants, in order', () => {
    const toMs = Date.parse('2026-11-20T00:00Z');
    const monthly = new CronSchedule('0 0 1 * *', 'UTC').latestBetween(Date.parse('2020-01-01T00:00Z'), toMs, 3);
    expect(monthly.instants.map((ms) => new Date(ms).toISOString().slice(0, 7))).toEqual([
      '2026-09',
      '2026-10',
      '2026-11',
    ]);
    expect(monthly.hasEarlier).toBe(true);
    const all = new CronSchedule('0 0 * * *', 'UTC').latestBetween(toMs - 2 * DAY_MS, toMs, 3);
    expect(all).toEqual({ instants: [toMs - DAY_MS, toMs], hasEarlier: false });
  });

  it.each([
    ['* * * * * *', /six/],
    ['* * * *', /has 4/],
    ['', /empty/],
    ['@daily', /@daily/],
    ['60 * * * *', /minute field "60"/],
    ['* 24 * * *', /hour field/],
    ['* * 0 * *', /day of month field/],
    ['* * 32 * *', /day of month field/],
    ['* * * 13 *', /month field/],
    ['* * * * 8', /weekday field/],
    ['* * * * MONDAY', /weekday field/],
    ['* * * FOO *', /names are JAN/],
    ['30-10 * * * *', /backward/],
    ['* * * * 5-1', /backward/],
    ['*/0 * * * *', /step/],
    ['*/61 * * * *', /step/],
    ['5/15 * * * *', /step/],
    ['1,,2 * * * *', /minute field/],
    ['* * L * *', /day of month field/],
    ['* * * * 5#2', /weekday field/],
    ['? * * * *', /minute field/],
    ['-5 * * * *', /minute field/],
    ['1.5 * * * *', /minute field/],
    ['0 0 31 2 *', /never/],
    ['0 0 30 FEB *', /never/],
  ])('refuses "%s" and says why', (cron, why) => {
    expect(() => new CronSchedule(cron, 'UTC')).toThrow(CronError);
    expect(() => new CronSchedule(cron, 'UTC')).toThrow(why);
  });

  it('knows the names of time zones', () => {
    expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].every(isTimezone)).toBe(true);
    expect(['Europe/Atlantis', '', 'Berlin', '+02:00', '../etc'].some(isTimezone)).toBe(false);
  });
});
