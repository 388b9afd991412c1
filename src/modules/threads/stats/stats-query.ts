export const STATS_BY = ['hour', 'day', 'agent', 'model'] as const;

export type StatsBy = (typeof STATS_BY)[number];

export interface StatsFilter {
  /** Whole periods of `SUM_PERIOD_MS`, from the first moment's to the last moment's. */
  sinceMs: number;
  untilMs: number;
  agentId: string | null;
  model: string | null;
}

export interface StatsQuery extends StatsFilter {
  by: StatsBy;
  timeZone: string;
}
