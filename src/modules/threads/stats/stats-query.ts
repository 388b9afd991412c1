export const STATS_BY = ['hour', 'day', 'agent', 'model'] as const;

export type StatsBy = (typeof STATS_BY)[number];

export interface StatsFilter {
  /** The range covers whole periods of `SUM_PERIOD_MS`, including those of both ends. */
  sinceMs: number;
  untilMs: number;
  agentId: string | null;
  model: string | null;
}

export interface StatsQuery extends StatsFilter {
  by: StatsBy;
  timeZone: string;
}
