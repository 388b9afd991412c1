import { RUN_STATUS } from './run-status.js';

/** The effect of an event on its run: see `run-rules.ts`. A note changes no state. */
export type EventKind = 'started' | 'checkpoint' | 'ending' | 'idle' | 'note';

interface EventType {
  kind: EventKind;
  /** The status that the event gives its run; null if it names one itself or gives none. */
  status: string | null;
}

const STARTED: EventType = { kind: 'started', status: null };
const COMPLETED: EventType = { kind: 'ending', status: RUN_STATUS.completed };
const FAILED: EventType = { kind: 'ending', status: RUN_STATUS.error };

/** The event types that change a run. The server keeps events of any other type as notes. */
const EVENT_TYPES: ReadonlyMap<string, EventType> = new Map([
  ['thread_started', STARTED],
  ['checkpoint', { kind: 'checkpoint', status: null }],
  ['thread_completed', COMPLETED],
  ['thread_error', FAILED],
  ['thread_budget_exceeded', { kind: 'ending', status: RUN_STATUS.budgetExceeded }],
  ['thread_idle', { kind: 'idle', status: RUN_STATUS.idle }],
  ['workflow_started', STARTED],
  ['workflow_completed', COMPLETED],
  ['workflow_failed', FAILED],
  ['team_started', STARTED],
  ['team_completed', COMPLETED],
  ['team_failed', FAILED],
]);

/** The outcome of an effect; changes no run. */
export const EFFECT_SETTLED = 'effect_settled';

/** A run is close to its budget; changes no run. */
export const BUDGET_WARNING = 'budget_warning';

/** A file for the run's chat. Changes no run, but only those who may drive the run may report it. */
export const ATTACHMENT = 'attachment';

/** All types that the server acts on. */
export const KNOWN_EVENT_TYPES: readonly string[] = [
  ...EVENT_TYPES.keys(),
  BUDGET_WARNING,
  'heartbeat',
  EFFECT_SETTLED,
  ATTACHMENT,
];

export function kindOf(type: string): EventKind {
  return EVENT_TYPES.get(type)?.kind ?? 'note';
}

/** The status that an event of this type gives its run; null if the type implies none. */
export function statusGivenBy(type: string): string | null {
  return EVENT_TYPES.get(type)?.status ?? null;
}
