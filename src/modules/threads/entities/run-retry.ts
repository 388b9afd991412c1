import type { Run } from './run.entity.js';

/** The run's column `retry`: what people see of its retries beyond the attempts of its steps. */
export interface RunRetry {
  /** When the current attempt was requested; null if its first report began it. */
  atMs: number | null;
  /** Retries without an attempt of their own: the program continued the previous steps or reported nothing. */
  extraAttempts: number;
  /** Milliseconds between ends of the run and its retries. */
  pausedMs: number;
  /** Since the last retry, nothing but the start was reported. */
  isOpen: boolean;
}

const NONE: RunRetry = { atMs: null, extraAttempts: 0, pausedMs: 0, isOpen: false };

export function retryOf({ retry }: Pick<Run, 'retry'>): RunRetry {
  return retry === null ? NONE : (JSON.parse(retry) as RunRetry);
}

/** The attempts of a run as people count them. */
export function attemptsOf(row: Pick<Run, 'attempt' | 'retry'>): number {
  return row.attempt + retryOf(row).extraAttempts;
}

/** The column after new progress. @param opensAttempt the report is the first of an attempt */
export function retryAfterReport(column: string | null, opensAttempt: boolean): string | null {
  if (column === null) return null;
  const retry = retryOf({ retry: column });
  if (!retry.isOpen) return opensAttempt ? JSON.stringify({ ...retry, atMs: null }) : column;
  const extraAttempts = retry.extraAttempts - Number(opensAttempt);
  return JSON.stringify({ ...retry, extraAttempts, isOpen: false });
}
