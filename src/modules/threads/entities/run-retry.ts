import type { Run } from './run.entity.js';

/** What the run's column `retry` holds: what people should see of its retries besides the attempts that its steps belong to. */
export interface RunRetry {
  /** When the present attempt was asked for; null where its first report began it. */
  atMs: number | null;
  /** Retries that have no attempt among the steps: their program went on with the steps of the one before, or said nothing. */
  extraAttempts: number;
  /** Milliseconds between ends of the run and its retries. */
  pausedMs: number;
  /** Nothing was reported since the last retry but that the run begins. */
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

/** The column after a report that is new. @param opensAttempt the report is the first of an attempt */
export function retryAfterReport(column: string | null, opensAttempt: boolean): string | null {
  if (column === null) return null;
  const retry = retryOf({ retry: column });
  if (!retry.isOpen) return opensAttempt ? JSON.stringify({ ...retry, atMs: null }) : column;
  const extraAttempts = retry.extraAttempts - Number(opensAttempt);
  return JSON.stringify({ ...retry, extraAttempts, isOpen: false });
}
