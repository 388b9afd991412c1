/** How the program of a run ended; kept until it is reported. */
export type RunOutcome =
  | { kind: 'completed'; answer: string }
  | { kind: 'failed'; error: RunError }
  | { kind: 'budget_exceeded' }
  /** The API had it before the program ended. */
  | { kind: 'cancelled' };

/** What `thread_error` tells. */
export interface RunError {
  message: string;
  exit_code: number | null;
  signal: string | null;
  /** The end of standard error. */
  stderr: string;
}

export function failedBefore(message: string): RunOutcome {
  return { kind: 'failed', error: { message, exit_code: null, signal: null, stderr: '' } };
}
