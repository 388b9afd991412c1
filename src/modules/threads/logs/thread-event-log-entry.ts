import { isoTime } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { ThreadEventRecord } from './thread-events.repository.js';
import { eventLogEntry } from './event-log-entry.js';
import type { LogEntry, LogSource } from './log-entry.js';

/**
 * The entry of an event that is no checkpoint, or null when the logs leave it out: of changes of status they only show failures and cancellations, and
 * not their repetition after a restart, which names no step.
 */
export function threadEventLogEntry(event: ThreadEventRecord): LogEntry | null {
  const { kind, type, step_index, data, created_at, agent_id, trace_id } = event;
  const source: LogSource = {
    ts: isoTime(created_at),
    agent_id: agent_id ?? '',
    trace_id: trace_id ?? '',
    step_index: step_index ?? 0,
  };
  if (kind === 'log') return eventLogEntry(type, data ?? '{}', source);
  if (kind !== 'status' || step_index === null) return null;
  if (type === RUN_STATUS.error)
    return eventLogEntry('thread_error', data === null ? '{}' : `{"error":${data}}`, source);
  if (type === RUN_STATUS.cancelled) return eventLogEntry('run_cancelled', data ?? '{}', source);
  if (type === RUN_STATUS.budgetExceeded) return eventLogEntry('thread_budget_exceeded', spendingOf(event), source);
  return null;
}

/** Zero stands for "not reported". */
function spendingOf({ run_cost_usd, budget_usd }: ThreadEventRecord): string {
  return JSON.stringify({ run_cost_usd: run_cost_usd || undefined, budget_usd: budget_usd || undefined });
}
