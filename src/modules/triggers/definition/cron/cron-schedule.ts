import { Cron } from 'croner';
import { CronError, isOfEveryHour, matchesWall, parseCron, type CronFields } from './cron-fields.js';
import { ForwardChanges, type SkippedTimes } from './skipped-times.js';

const MINUTE_MS = 60_000;
/** By how much a span is widened that held too few instants. */
const WIDENING = 4;

/** The instants at which a cron expression is due in a time zone. */
export class CronSchedule {
  private readonly cron: Cron;
  private readonly fields: CronFields;
  private readonly forward: ForwardChanges;

  /**
   * @param expression five fields
   * @param timezone name in the IANA time zone database
   * @throws CronError when the expression is wrong or never due
   */
  constructor(expression: string, timezone: string) {
    this.fields = parseCron(expression);
    // Lists instead of steps and wildcards: only those does croner take for times of day, see docs/adr/0010.
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

  /** The instants after `fromMs` up to and with `toMs`, ascending; of more than `limit` only the latest. */
  latestBetween(fromMs: number, toMs: number, limit: number): DueInstants {
    // Each look costs a third of a millisecond, so a long time is not walked through from its beginning.
    for (let spanMs = limit * MINUTE_MS; ; spanMs *= WIDENING) {
      const startMs = Math.max(fromMs, toMs - spanMs);
      const instants = this.between(startMs, toMs);
      const isAll = startMs === fromMs;
      if (isAll || instants.length >= limit) {
        return { instants: instants.slice(-limit), hasEarlier: !isAll || instants.length > limit };
      }
    }
  }

  /** croner forgets what a gap has swallowed where its end lies on the next day, as in America/Nuuk. */
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
  /** Whether there may be earlier ones that were left out. */
  hasEarlier: boolean;
}

/** Whether the runtime knows the time zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/**
 * A job of every hour follows the elapsed time: it stays `*` and fires in both of the hours that the clock repeats.
 * A job of certain hours is bound to the time of day: it fires once then, and right after a gap that swallowed it.
 */
function canonical(fields: CronFields): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fields;
  const hours = isOfEveryHour(fields) ? '*' : hour.values.join(',');
  const [day, week] = [dayOfMonth, dayOfWeek].map(({ isStar, values }) => (isStar ? '*' : values.join(',')));
  return `${minute.values.join(',')} ${hours} ${day} ${month.values.join(',')} ${week}`;
}
