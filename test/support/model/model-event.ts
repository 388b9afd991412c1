/** One reported event in the model. `data` is the exact JSON text that is sent, so equal reports are equal texts. */
export interface ModelEvent {
  type:
    | 'thread_started'
    | 'checkpoint'
    | 'thread_completed'
    | 'thread_error'
    | 'thread_budget_exceeded'
    | 'thread_idle'
    | 'budget_warning'
    | 'tool_installed';
  data: string;
  /** Set for clients that send event ids. */
  id?: string;
  /** Seconds after a fixed hour, set for clients that send times. */
  second?: number;
  trace: string | null;
  agent: string;
  parent: string | null;
  step: number | null;
  status: string;
  /** The exact JSON text of each message. */
  history: readonly string[];
  turnStart: number;
  tokens: number | null;
}

const TERMINAL_STATUS: Readonly<Record<string, string>> = {
  thread_completed: 'completed',
  thread_error: 'error',
  thread_budget_exceeded: 'budget_exceeded',
};

/** The status set by an event that ends a run or puts it to rest; null for every other event. */
export function endingStatus(event: ModelEvent): string | null {
  return event.type === 'thread_idle' ? 'idle' : (TERMINAL_STATUS[event.type] ?? null);
}

/** Whether the event is only stored and changes no run. */
export function isNote(event: ModelEvent): boolean {
  return event.type === 'budget_warning' || event.type === 'tool_installed';
}

export function isTerminal(status: string): boolean {
  return status === 'cancelled' || Object.values(TERMINAL_STATUS).includes(status);
}

/** Whether a run with this status has ended or is at rest. */
export function isAtRest(status: string): boolean {
  return isTerminal(status) || status === 'idle';
}

/** False if either time is unknown. */
export function isOlder(second: number | undefined, than: number | null | undefined): boolean {
  return second !== undefined && typeof than === 'number' && second < than;
}

/** The text of one element of `events`. */
export function eventText(event: ModelEvent): string {
  const id = event.id === undefined ? '' : `,"id":${JSON.stringify(event.id)}`;
  const time = event.second === undefined ? '' : `,"occurred_at":"${timeOf(event.second)}"`;
  return `{"type":"${event.type}","data":${event.data}${id}${time}}`;
}

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}
