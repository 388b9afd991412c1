/** One reported event as the model sees it. `data` is the exact JSON text that is sent, so that equal reports are equal texts. */
export interface ModelEvent {
  type:
    'thread_started' | 'checkpoint' | 'thread_completed' | 'thread_error' | 'thread_budget_exceeded' | 'budget_warning';
  data: string;
  /** Set for clients that number their events. */
  id?: string;
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

/** The status that a terminal event sets, or null for every other event. */
export function terminalStatus(event: ModelEvent): string | null {
  return TERMINAL_STATUS[event.type] ?? null;
}

export function isTerminal(status: string): boolean {
  return Object.values(TERMINAL_STATUS).includes(status);
}

/** The text of one element of `events`. */
export function eventText(event: ModelEvent): string {
  const id = event.id === undefined ? '' : `,"id":${JSON.stringify(event.id)}`;
  return `{"type":"${event.type}","data":${event.data}${id}}`;
}
