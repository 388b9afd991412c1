import { isIP } from 'node:net';
import type { Clock } from './clock.js';

const WINDOW_MS = 60_000;
/** Number of remembered addresses; the oldest are forgotten first. */
const MAX_ADDRESSES = 10_000;

interface Window {
  startedMs: number;
  failures: number;
}

/**
 * Counts requests without proof per address; beyond the limit they get 429. It is only a protection, so each instance keeps it in memory.
 * Requests with proof are always admitted, because everybody behind a tunnel shares an address.
 */
export class FailureLimiter {
  private readonly windows = new Map<string, Window>();

  /** @param maxFailures a minute, for each address */
  constructor(
    private readonly clock: Clock,
    private readonly maxFailures: number,
  ) {}

  /** Counts one. Returns the seconds until the address is admitted again; null while it is admitted. */
  note(address: string | undefined): number | null {
    const nowMs = this.clock.nowMs();
    const window = this.windowOf(networkOf(address ?? ''), nowMs);
    window.failures += 1;
    return window.failures <= this.maxFailures ? null : secondsLeft(window, nowMs);
  }

  /** Counts nothing. If one more would be too many, returns the seconds until the address is admitted again; otherwise null. */
  overFor(address: string | undefined): number | null {
    const nowMs = this.clock.nowMs();
    const window = this.windows.get(networkOf(address ?? ''));
    if (window === undefined || !isCurrent(window, nowMs)) return null;
    return window.failures < this.maxFailures ? null : secondsLeft(window, nowMs);
  }

  private windowOf(network: string, nowMs: number): Window {
    const known = this.windows.get(network);
    if (known && isCurrent(known, nowMs)) return known;
    const window = { startedMs: nowMs, failures: 0 };
    this.windows.delete(network);
    this.windows.set(network, window);
    if (this.windows.size > MAX_ADDRESSES) this.windows.delete(this.windows.keys().next().value!);
    return window;
  }
}

/** A window must not last forever if the clock is set back. */
function isCurrent({ startedMs }: Window, nowMs: number): boolean {
  return nowMs >= startedMs && nowMs < startedMs + WINDOW_MS;
}

function secondsLeft({ startedMs }: Window, nowMs: number): number {
  return Math.max(1, (startedMs + WINDOW_MS - nowMs) / 1000);
}

/** One subscriber has a whole /64 of IPv6. */
function networkOf(address: string): string {
  return isIP(address) === 6 && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address;
}
