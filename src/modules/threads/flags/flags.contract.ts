/** Facts about a thread or run besides its status. They change with time, so they are never stored. */
export interface Flags {
  /** It is under way, and nothing has been heard of it for some time. */
  isSilent: boolean;
  /** An effect is in doubt. */
  isInDoubt: boolean;
}

export const NO_FLAGS: Flags = { isSilent: false, isInDoubt: false };

/** Their members in JSON, in an item and a run alike. */
export const FLAG_NAMES = ['silent', 'in_doubt'] as const;

export function flagMembers({ isSilent, isInDoubt }: Flags): string {
  return `"silent":${isSilent},"in_doubt":${isInDoubt}`;
}

/** The same as the database returns it with the row of a thread. */
export interface FlagColumns {
  /** SQLite has numbers for booleans. */
  is_silent: boolean | number;
  /** It has an effect that may be in doubt. */
  is_undecided: boolean | number;
}

/** What another feature knows of the agents of runs that are under way. */
export interface SignOfLife {
  /** Condition of SQL: whether anything was heard of the agent since a time. Both parameters are SQL. */
  sql(agentId: string, sinceMs: string): string;
}

/** Knows which effects are in doubt. */
export interface EffectDoubts {
  /** Condition of SQL: whether a thread has an effect that may be in doubt. */
  undecidedSql(threadPk: string): string;
  /** The threads that have one in doubt. @param among null for all threads */
  threadsInDoubt(among: readonly number[] | null): Promise<ReadonlySet<number>>;
  /** The numbers of the runs of a thread that have one in doubt. */
  runsInDoubt(threadPk: number, runs: readonly FlaggedRun[]): Promise<ReadonlySet<number>>;
}

/** What tells a run from others. */
export interface FlaggedRun {
  run_no: number;
  trace_id: string;
  agent_id: string;
}
