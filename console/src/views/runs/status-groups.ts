/** The statuses that people filter by together. */
export const STATUS_GROUPS = [
  { name: 'Running', statuses: ['in_progress', 'approved', 'rejected'] },
  { name: 'Waiting', statuses: ['waiting_for_approval'] },
  { name: 'Failed', statuses: ['error', 'budget_exceeded'] },
  { name: 'Completed', statuses: ['completed'] },
  { name: 'Idle', statuses: ['idle'] },
  { name: 'Cancelled', statuses: ['cancelled'] },
] as const;

/** In the form of the address. */
export const RUNNING = STATUS_GROUPS[0].statuses.join(',');
export const FAILED = STATUS_GROUPS[2].statuses.join(',');
