import { Cron } from 'croner';
import { CronError, isOfEveryHour, matchesWall, parseCron, type CronFields } from './cron-fields.js';
import { ForwardChanges, type SkippedTimes } from './skipped-times.js';

const MINUTE_MS = 60_000;
/** Factor by which a span with too few instants grows. */
const WIDENING = 4;

export class CronSchedule {
  private readonly cron: Cron;
  private readonly fields: CronFields;
  private readonly forward: ForwardChanges;

  /**
   * @param expression five fields
   * @param timezone name in the IANA time zone database
   * @throws CronError if the expression is invalid or never due
   */
  constructor(expression: string, timezone: string) {
    this.fields = parseCron(expression);
    // croner only accepts lists, not steps and wildcards, for times of day, see docs/adr/0010.
    this.cron = new Cron(canonical(this.fields), {
      timezone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
    });
    this.forward = ForwardChanges.of(timezone);
    if (this.cron.nextRun(new Date(0)) === null) throw new CronError('is never due: there is no such day');
  }

  /** The first instant after the given one, both in milliseconds since 1970. Null beyond the year 9999. */
  nextAfter(ms: number): number | null {
    const found = this.cron.nextRun(new Date(ms))?.getTime() ?? null;
    return this.swallowedBefore(ms, found) ?? found;
  }

  /** The instants after `fromMs` up to and including `toMs`, ascending; only the latest `limit`. */
  latestBetween(fromMs: number, toMs: number, limit: number): DueInstants {
    // Each lookup costs a third of a millisecond, so a long time is not walked from its beginning.
    for (let spanMs = limit * MINUTE_MS; ; spanMs *= WIDENING) {
      const startMs = Math.max(fromMs, toMs - spanMs);
      const instants = this.between(startMs, toMs);
      const isAll = startMs === fromMs;
      if (isAll || instants.length >= limit) {
        return { instants: instants.slice(-limit), hasEarlier: !isAll || instants.length > limit };
      }
    }
  }

  /** croner misses what a gap has swallowed if the gap ends on the next day, as in America/Nuuk. */
  private swallowedBefore(ms: number, foundMs: number | null): number | null {
    if (foundMs === null || isOfEveryHour(this.fields)) return null;
    for (const change of this.forward.between(ms, foundMs)) {
      if (this.isDueIn(change)) return change.atMs;
    }
    return null;
  }

  private isDueIn({ fromWallMs, toWallMs }: SkippedTimes): boolean {
    for (let wallMs = fromWallMs; wallMs < toWallMs; wallMs += MINUTE_MS) {
      if (matchesWall(this.fields, wallMs)) return true;
    }
    return false;
  }

  private between(fromMs: number, toMs: number): number[] {
    const instants: number[] = [];
    for (let next = this.nextAfter(fromMs); next !== null && next <= toMs; next = this.nextAfter(next)) {
      instants.push(next);
    }
    return instants;
  }
}

export interface DueInstants {
  /** Milliseconds since 1970, ascending. */
  instants: number[];
  /** Whether earlier ones may have been left out. */
  hasEarlier: boolean;
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/**
 * An hourly job follows elapsed time: it stays `*` and fires in both hours when the clock repeats one. A job at certain hours follows the
 * time of day: it fires once, right after a gap that swallowed its time.
 */
function canonical(fields: CronFields): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fields;
  const hours = isOfEveryHour(fields) ? '*' : hour.values.join(',');
  const [day, week] = [dayOfMonth, dayOfWeek].map(({ isStar, values }) => (isStar ? '*' : values.join(',')));
  return `${minute.values.join(',')} ${hours} ${day} ${month.values.join(',')} ${week}`;
}
