import { RUN_STATUS } from '../../common/contract/run-status.js';

export const NOTICE_EVENTS = [
  'approval_waiting',
  'run_completed',
  'run_failed',
  'run_budget_exceeded',
  'budget_warning',
  'effect_in_doubt',
  'agent_offline',
  'agent_online',
] as const;

export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** By the run's final status. Cancellations are not reported: a person wanted them. */
const ENDS: ReadonlyMap<string, NoticeEvent> = new Map([
  [RUN_STATUS.completed, 'run_completed'],
  [RUN_STATUS.error, 'run_failed'],
  [RUN_STATUS.budgetExceeded, 'run_budget_exceeded'],
]);

/** Null for an end that is not reported. */
export function eventOfEnd(status: string): NoticeEvent | null {
  return ENDS.get(status) ?? null;
}

/** As the table stores them. */
export function storedEvents(events: readonly NoticeEvent[]): string {
  return `,${NOTICE_EVENTS.filter((event) => events.includes(event)).join(',')},`;
}

export function eventsIn(stored: string): NoticeEvent[] {
  return NOTICE_EVENTS.filter((event) => stored.includes(`,${event},`));
}
