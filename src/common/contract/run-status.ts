/** The statuses of runs and checkpoints that the server itself sets or acts on. Agents may report any other text. */
export const RUN_STATUS = {
  inProgress: 'in_progress',
  waiting: 'waiting_for_approval',
  approved: 'approved',
  rejected: 'rejected',
  idle: 'idle',
  completed: 'completed',
  error: 'error',
  budgetExceeded: 'budget_exceeded',
  cancelled: 'cancelled',
} as const;

export const ENDED_STATUSES = [
  RUN_STATUS.completed,
  RUN_STATUS.error,
  RUN_STATUS.budgetExceeded,
  RUN_STATUS.cancelled,
] as const;
const ENDED: ReadonlySet<string> = new Set(ENDED_STATUSES);

export function isEnded(status: string): boolean {
  return ENDED.has(status);
}

/** Of runs that have ended, rest until they are started again, or wait for a person. Those with any other status are under way. */
export const STATUSES_NOT_UNDER_WAY = [...ENDED_STATUSES, RUN_STATUS.idle, RUN_STATUS.waiting] as const;

/** Whether a run with this status has ended, or rests until it is started again. */
export function isAtRest(status: string): boolean {
  return ENDED.has(status) || status === RUN_STATUS.idle;
}
