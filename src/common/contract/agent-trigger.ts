/** Triggers that one heartbeat may name. */
export const MAX_TRIGGERS = 100;
/** Firings of a schedule that a heartbeat names. */
export const MAX_FIRINGS = 5;

export const TRIGGER_TYPES = ['webhook', 'schedule'] as const;

/** What starts an agent, as its heartbeats name it. */
export interface AgentTrigger {
  /** Where it is in the definition, as `triggers[1]`. */
  id: string;
  type: (typeof TRIGGER_TYPES)[number];
  /** Path of a webhook. */
  endpoint?: string;
  /** The schedule: a cron expression with five fields. */
  cron?: string;
  /** Time zone of a schedule, by its IANA name. */
  timezone?: string;
  /** The next firings of a schedule, ISO 8601 in UTC; at most {@link MAX_FIRINGS}. */
  next?: string[];
}
