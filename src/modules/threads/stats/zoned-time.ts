const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

/** Names hours and days by a time zone's clocks. */
export class ZonedTime {
  private readonly format: Intl.DateTimeFormat;

  /** @throws RangeError for an unknown zone */
  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
      second: 'numeric',
    });
  }

  /** The beginning of the hour, ISO 8601 in UTC: in some zones it is not the beginning of a UTC hour. */
  hourOf(ms: number): string {
    const localMs = this.localMs(ms);
    return new Date(ms - (localMs - Math.floor(localMs / HOUR_MS) * HOUR_MS)).toISOString();
  }

  /** The date, as `2026-11-22`. */
  dayOf(ms: number): string {
    return new Date(Math.floor(this.localMs(ms) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
  }

  /** The local time as if it were UTC. */
  private localMs(ms: number): number {
    const shown = new Map(this.format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const [year, month, ...rest] = PARTS.map((part) => shown.get(part) ?? 0);
    return Date.UTC(year!, month! - 1, ...rest);
  }
}

/** What browsers report if they do not know their zone. */
const UNKNOWN_ZONE = 'Etc/Unknown';

/** The named zone, or UTC. */
export function zoneMeant(name: string): string {
  return name === '' || name === UNKNOWN_ZONE ? 'UTC' : name;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
