/** Facts about a thread or run besides its status. They change with time, so they are never stored. */
export interface Flags {
  /** It is in progress, but has given no sign of life for some time. */
  isSilent: boolean;
  /** An effect is in doubt. */
  isInDoubt: boolean;
}

export const NO_FLAGS: Flags = { isSilent: false, isInDoubt: false };

/** Their JSON members in items and runs. */
export const FLAG_NAMES = ['silent', 'in_doubt'] as const;

export function flagMembers({ isSilent, isInDoubt }: Flags): string {
  return `"silent":${isSilent},"in_doubt":${isInDoubt}`;
}

export interface FlagColumns {
  /** SQLite returns booleans as numbers. */
  is_silent: boolean | number;
  /** It has an effect that may be in doubt. */
  is_undecided: boolean | number;
}

/** Another feature's evidence that agents are alive. */
export interface SignOfLife {
  /** SQL condition: whether the agent has given a sign of life since a time. Both parameters are SQL. */
  sql(agentId: string, sinceMs: string): string;
}

export interface EffectDoubts {
  /** SQL condition: whether a thread has an effect that may be in doubt. */
  undecidedSql(threadPk: string): string;
  /** Threads with an effect in doubt. @param among null for all threads */
  threadsInDoubt(among: readonly number[] | null): Promise<ReadonlySet<number>>;
  /** Numbers of the thread's runs with an effect in doubt. */
  runsInDoubt(threadPk: number, runs: readonly FlaggedRun[]): Promise<ReadonlySet<number>>;
}

export interface FlaggedRun {
  run_no: number;
  trace_id: string;
  agent_id: string;
}
