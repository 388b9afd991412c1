/** The status that each event type sets, for the types that end a run or let it rest. */
export const STATUS_OF_TYPE: Readonly<Record<string, string>> = {
  thread_completed: 'completed',
  thread_error: 'error',
  thread_budget_exceeded: 'budget_exceeded',
  thread_idle: 'idle',
  workflow_completed: 'completed',
  workflow_failed: 'error',
  team_completed: 'completed',
  team_failed: 'error',
};

/** Whether an ending has set this status, or one that lets the run rest. */
export function isAtRest(status: string): boolean {
  return ENDED.has(status) || status === 'idle';
}

const ENDED = new Set(['completed', 'error', 'budget_exceeded']);

/** Whether a run with this status has ended. */
export function isEnded(status: string): boolean {
  return ENDED.has(status);
}
