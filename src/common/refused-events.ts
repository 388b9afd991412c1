/** Where an agent process keeps, in its state directory, the events that the API has refused for good: lines of JSON, the newest here. */
export const REFUSED_EVENTS_FILE = 'refused-events.jsonl';

/** What was in the file before it became too large. */
export const OLDER_REFUSED_EVENTS_FILE = 'refused-events.old.jsonl';
