/** Limit of triggers in a heartbeat. */
export const MAX_TRIGGERS = 100;
/** Limit of a schedule's firings in a heartbeat. */
export const MAX_FIRINGS = 5;

export const TRIGGER_TYPES = ['webhook', 'schedule'] as const;

/** A trigger of an agent, as in heartbeats. */
export interface AgentTrigger {
  /** Its position in the definition: `triggers[1]`. */
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
