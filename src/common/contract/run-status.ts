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

/** Aliases used by people and programs. Responses never contain them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['running', RUN_STATUS.inProgress],
  ['waiting', RUN_STATUS.waiting],
  ['failed', RUN_STATUS.error],
]);

/** All names and aliases of the server's own statuses, for queries and reports. */
export const STATUS_NAMES: readonly string[] = [...Object.values(RUN_STATUS), ...OTHER_NAMES.keys()];

/** The status with this name or alias. */
export function statusMeant(name: string): string {
  return OTHER_NAMES.get(name) ?? name;
}

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

/** Statuses of runs that have ended, are idle, or wait for a person. Runs with any other status are in progress. */
export const STATUSES_NOT_UNDER_WAY = [...ENDED_STATUSES, RUN_STATUS.idle, RUN_STATUS.waiting] as const;

/** Whether a run with this status has ended or is idle. */
export function isAtRest(status: string): boolean {
  return ENDED.has(status) || status === RUN_STATUS.idle;
}
