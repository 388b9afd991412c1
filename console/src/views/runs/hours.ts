import type { components } from '../../api/openapi.gen.js';

export type Sums = components['schemas']['RunSumsDto'];
export type SumsOfHour = components['schemas']['StatsItemDto'];

export const HOUR_MS = 3_600_000;
const CHART_HOURS = 24;

/** The start of the day of `now` in the person's zone, in ms. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** Start of the period to load: covers today, which has up to 25 hours, and the last 24 hours. */
export function sumsSince(now: number): string {
  return new Date(Math.min(startOfDay(now), now - (CHART_HOURS - 1) * HOUR_MS)).toISOString();
}

/** The hours that the chart shows, the current one last. */
export function chartHours(items: readonly SumsOfHour[]): readonly SumsOfHour[] {
  return items.slice(-CHART_HOURS);
}

/** Sums over today's hours in the person's zone. */
export function sumsOfToday(items: readonly SumsOfHour[], now: number): Sums {
  const sums: Sums = { runs: 0, completed: 0, failed: 0, tokens: 0, cost_usd: 0 };
  const start = startOfDay(now);
  for (const item of items) {
    if (Date.parse(item.key) < start) continue;
    for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += Number(item[name]);
  }
  return sums;
}

export interface Bar {
  /** Relative to the highest. */
  runs: number;
  failed: number;
  cost: number;
}

/** The height of each hour's bars, from 0 to 1. */
export function barsOf(hours: readonly SumsOfHour[]): Bar[] {
  const most = Math.max(1, ...hours.map(({ runs }) => runs));
  const dearest = Math.max(...hours.map(({ cost_usd }) => cost_usd)) || 1;
  return hours.map(({ runs, failed, cost_usd }) => ({
    runs: runs / most,
    failed: Math.min(failed, runs) / most,
    cost: cost_usd / dearest,
  }));
}
