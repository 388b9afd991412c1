/**
 * The simplest cron matching for tests: checks every minute of a span. It shares no code with the product.
 * If the hours are restricted, a job follows the wall clock (once for a repeated time, right after the gap for a skipped time);
 * a job of all hours follows elapsed time.
 */
export function firingsByMinute(expression: string, timezone: string, fromMs: number, toMs: number): number[] {
  const matcher = new Matcher(expression);
  const wall = wallClock(timezone);
  const firings: number[] = [];
  let before = wall(fromMs);
  let highest = highestBefore(wall, fromMs);
  for (let ms = fromMs + 60_000; ms <= toMs; ms += 60_000) {
    const now = wall(ms);
    if (matcher.isEveryHour ? matcher.matches(now) : isDueByWallClock(matcher, before, now, highest)) firings.push(ms);
    before = now;
    highest = Math.max(highest, now);
  }
  return firings;
}

function isDueByWallClock(matcher: Matcher, before: number, now: number, highest: number): boolean {
  if (now <= highest) return false;
  for (let skipped = before + 60_000; skipped < now; skipped += 60_000) {
    if (skipped > highest && matcher.matches(skipped)) return true;
  }
  return matcher.matches(now);
}

/** The latest wall-clock time that has occurred: the span may begin in a repeated hour. */
function highestBefore(wall: (ms: number) => number, fromMs: number): number {
  let highest = wall(fromMs);
  for (let minutes = 0; minutes <= 180; minutes++) highest = Math.max(highest, wall(fromMs - minutes * 60_000));
  return highest;
}

const known = new Map<string, Map<number, number>>();

/** The formatter is slow, and no current zone changes its clocks within a quarter of an hour, so it is called once per quarter. */
const QUARTER_MS = 15 * 60_000;

/** The wall-clock time of an instant, as if it were UTC. */
function wallClock(timezone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const times = known.get(timezone) ?? new Map<number, number>();
  known.set(timezone, times);
  return (ms) => {
    const quarterMs = Math.floor(ms / QUARTER_MS) * QUARTER_MS;
    let wall = times.get(quarterMs);
    if (wall === undefined) {
      const [month, day, year, hour, minute] = format.format(quarterMs).match(/\d+/g)!.map(Number);
      wall = Date.UTC(year!, month! - 1, day, hour, minute);
      times.set(quarterMs, wall);
    }
    return wall + ms - quarterMs;
  };
}

class Matcher {
  readonly isEveryHour: boolean;
  private readonly fields: Set<number>[];
  private readonly isDayStar: boolean;
  private readonly isWeekdayStar: boolean;

  constructor(expression: string) {
    const [minute, hour, day, month, weekday] = expression.split(' ') as [string, string, string, string, string];
    this.fields = [
      expand(minute, 0, 59),
      expand(hour, 0, 23),
      expand(day, 1, 31),
      expand(month, 1, 12, 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'),
      expand(weekday, 0, 7, 'SUN MON TUE WED THU FRI SAT'),
    ];
    this.isEveryHour = this.fields[1]!.size === 24;
    this.isDayStar = day === '*';
    this.isWeekdayStar = weekday === '*';
  }

  matches(wallMs: number): boolean {
    const at = new Date(wallMs);
    const [minutes, hours, days, months, weekdays] = this.fields;
    if (!minutes!.has(at.getUTCMinutes()) || !hours!.has(at.getUTCHours())) return false;
    if (!months!.has(at.getUTCMonth() + 1)) return false;
    const isDay = days!.has(at.getUTCDate());
    const isWeekday = weekdays!.has(at.getUTCDay()) || (at.getUTCDay() === 0 && weekdays!.has(7));
    if (this.isDayStar || this.isWeekdayStar) return isDay && isWeekday;
    return isDay || isWeekday;
  }
}

function expand(field: string, min: number, max: number, names = ''): Set<number> {
  const values = new Set<number>();
  const number = (word: string): number => {
    const index = names.split(' ').indexOf(word.toUpperCase());
    return index === -1 ? Number(word) : index + min;
  };
  for (const item of field.split(',')) {
    const [span = '', step = '1'] = item.split('/');
    const [from, to = from] = span === '*' ? [min, max] : span.split('-').map(number);
    for (let value = from!; value <= to!; value += Number(step)) values.add(value);
  }
  return values;
}
