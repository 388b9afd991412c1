import { isoTime } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { spentIn, spentText } from '../entities/exceeded-budget.js';
import type { ThreadEventRecord } from './thread-events.repository.js';
import { eventLogEntry, orderLogEntry } from './event-log-entry.js';
import { tooLargeText } from '../shapes/json-text.js';
import type { LogEntry, LogSource } from './log-entry.js';

/**
 * The entry of an event that is no checkpoint, or null if the logs omit it: of status changes they show only failures and cancellations,
 * without those repeated after a restart, which name no step.
 */
export function threadEventLogEntry(event: ThreadEventRecord): LogEntry | null {
  const { kind, type, step_index, created_at, agent_id, trace_id } = event;
  const source: LogSource = {
    ts: isoTime(created_at),
    agent_id: agent_id ?? '',
    trace_id: trace_id ?? '',
    step_index: step_index ?? 0,
  };
  if (kind === 'log') return eventLogEntry(type, dataOf(event), source);
  if (kind === 'retry') return orderLogEntry('run_retried', dataOf(event), source);
  if (kind !== 'status') return null;
  if (step_index === null && event.data === null) return null;
  if (type === RUN_STATUS.cancelled) return orderLogEntry('run_cancelled', dataOf(event), source);
  if (step_index === null) return null;
  if (type === RUN_STATUS.error) return eventLogEntry('thread_error', dataOf(event, 'error'), source);
  if (type === RUN_STATUS.budgetExceeded) {
    return eventLogEntry('thread_budget_exceeded', spentIn(event.data) ?? spentText(event), source);
  }
  return null;
}

/** The event's data as JSON text; a summary if it is cut off. @param member wraps the data in a member of this name */
function dataOf({ data, cut_length }: ThreadEventRecord, member?: string): string {
  if (data === null) return '{}';
  const [head, tail] = member === undefined ? ['', ''] : [`{"${member}":`, '}'];
  if (cut_length === null) return `${head}${data}${tail}`;
  return JSON.stringify({ message: tooLargeText(`${head}${data}`, head.length + cut_length + tail.length) });
}
