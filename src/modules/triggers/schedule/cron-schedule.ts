import { Cron } from 'croner';
import { CronError, parseCron, type CronFields } from './cron-fields.js';

const HOURS_OF_DAY = 24;
const MINUTE_MS = 60_000;
/** By how much a span is widened that held too few instants. */
const WIDENING = 4;

/** The instants at which a cron expression is due in a time zone. */
export class CronSchedule {
  private readonly cron: Cron;

  /**
   * @param expression five fields
   * @param timezone name in the IANA time zone database
   * @throws CronError when the expression is wrong or never due
   */
  constructor(expression: string, timezone: string) {
    // Lists instead of steps and wildcards: only those does croner take for times of day, see docs/adr/0010.
    this.cron = new Cron(canonical(parseCron(expression)), {
      timezone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
    });
    if (this.cron.nextRun(new Date(0)) === null) throw new CronError('is never due: there is no such day');
  }

  /** The first instant after the given one, both in milliseconds since 1970. Null beyond the year 9999. */
  nextAfter(ms: number): number | null {
    return this.cron.nextRun(new Date(ms))?.getTime() ?? null;
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
function canonical({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): string {
  const hours = hour.values.length === HOURS_OF_DAY ? '*' : hour.values.join(',');
  const [day, week] = [dayOfMonth, dayOfWeek].map(({ isStar, values }) => (isStar ? '*' : values.join(',')));
  return `${minute.values.join(',')} ${hours} ${day} ${month.values.join(',')} ${week}`;
}
