import { Injectable } from '@nestjs/common';

/** The time, as a provider, so that tests can set it. */
@Injectable()
export class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number {
    return Date.now();
  }
}

/** ISO 8601 in UTC with milliseconds and a Z suffix, as in all responses of the API. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(Number(ms));
}
