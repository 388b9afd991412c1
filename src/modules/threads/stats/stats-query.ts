export const STATS_BY = ['hour', 'day', 'agent', 'model'] as const;

export type StatsBy = (typeof STATS_BY)[number];

export interface StatsFilter {
  /** Whole periods of `SUM_PERIOD_MS`: from the one with the first moment, to the one with the last. */
  sinceMs: number;
  untilMs: number;
  agentId: string | null;
  model: string | null;
}

export interface StatsQuery extends StatsFilter {
  by: StatsBy;
  timeZone: string;
}
