/** The file in an agent process's state directory for events that the API refused for good: JSON lines, the newest ones. */
export const REFUSED_EVENTS_FILE = 'refused-events.jsonl';

/** The previous content of that file, moved when it became too large. */
export const OLDER_REFUSED_EVENTS_FILE = 'refused-events.old.jsonl';
