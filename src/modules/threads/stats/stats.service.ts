import { Injectable } from '@nestjs/common';
import { SUM_PERIOD_MS } from '../entities/run-sum.entity.js';
import type { StatsQuery } from './stats-query.js';
import { StatsRepository, type KeyedSums, type Sums } from './stats.repository.js';
import { ZonedTime } from './zoned-time.js';

/** Rounds away the last digits of sums of doubles, which depend on the order of addition. */
const COST_DIGITS = 9;

export interface Stats {
  items: KeyedSums[];
  totals: Sums;
}

/** What runs cost and how they ended, from stored sums. */
@Injectable()
export class StatsService {
  constructor(private readonly repository: StatsRepository) {}

  /** By hour or day: every one in the range, in order. By agent or model: those with runs, most expensive first. */
  async read(query: StatsQuery): Promise<Stats> {
    const { by } = query;
    const items =
      by === 'hour' || by === 'day'
        ? this.overTime(query, await this.repository.sums('period', query))
        : (await this.repository.sums(by, query)).filter(isOfAny).sort(dearestFirst);
    return { items: items.map(rounded), totals: rounded(items.reduce(added, noSums())) };
  }

  private overTime({ by, timeZone, sinceMs, untilMs }: StatsQuery, sums: readonly KeyedSums[]): KeyedSums[] {
    const zone = new ZonedTime(timeZone);
    const known = new Map(sums.map((row) => [Number(row.key), row]));
    const items = new Map<string, KeyedSums>();
    for (let period = sinceMs - (sinceMs % SUM_PERIOD_MS); period <= untilMs; period += SUM_PERIOD_MS) {
      const key = by === 'hour' ? zone.hourOf(period) : zone.dayOf(period);
      const item = items.get(key) ?? { key, ...noSums() };
      items.set(key, { key, ...added(item, known.get(period) ?? noSums()) });
    }
    return [...items.values()];
  }
}

function isOfAny({ runs }: Sums): boolean {
  return runs > 0;
}

function dearestFirst(one: KeyedSums, other: KeyedSums): number {
  return other.cost_usd - one.cost_usd || other.runs - one.runs || (one.key < other.key ? -1 : 1);
}

function added(one: Sums, other: Sums): Sums {
  return {
    runs: one.runs + other.runs,
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    tokens: one.tokens + other.tokens,
    cost_usd: one.cost_usd + other.cost_usd,
  };
}

function noSums(): Sums {
  return { runs: 0, completed: 0, failed: 0, tokens: 0, cost_usd: 0 };
}

function rounded<S extends Sums>(sums: S): S {
  return { ...sums, cost_usd: Math.max(0, Number(sums.cost_usd.toFixed(COST_DIGITS))) };
}
