import { isoTime } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { CheckpointRecord } from '../checkpoints/checkpoint.json.js';
import { orderIn } from '../entities/run-order.js';
import { errorIn } from '../entities/exceeded-budget.js';
import type { ThreadEventRecord } from '../logs/thread-events.repository.js';
import { formatEventId, type EventId } from './event-id.js';

/** One event of a live stream before it gets its id. */
export interface LiveEvent {
  type: 'checkpoint' | 'status' | 'log' | 'approval' | 'effect' | 'retry';
  /** Exact JSON. */
  data: string;
  /** Its number among the events of the same change. */
  part: number;
}

/** In the format of server-sent events: JSON may hold line breaks between tokens, and each line needs its own `data:`. */
export function liveEventText({ type, data }: Pick<LiveEvent, 'type' | 'data'>, id: EventId): string {
  const lines = /[\r\n]/.test(data) ? data.replaceAll(/\r\n|\r|\n/g, '\ndata: ') : data;
  return `id: ${formatEventId(id)}\nevent: ${type}\ndata: ${lines}\n\n`;
}

/** The status that a checkpoint or a run's start gave the run. */
export function statusOfReport(record: CheckpointRecord, status: string): string {
  const { step_index, created_at } = record;
  return statusData(record, { status, step_index, error: null, updated_at: created_at });
}

/** The status that another event gave its run; for a cancellation with who and why. */
export function statusOfEvent(threadId: string, event: ThreadEventRecord): string {
  const { type, step_index, data, created_at } = event;
  const isCancelled = type === RUN_STATUS.cancelled;
  const reported = type === RUN_STATUS.budgetExceeded ? errorIn(data) : data;
  const status = statusData(
    { ...event, thread_id: threadId },
    { status: type, step_index, error: isCancelled ? null : reported, updated_at: created_at },
  );
  if (!isCancelled) return status;
  const { by, through, reason } = orderIn(data);
  return `${status.slice(0, -1)},${JSON.stringify({ by, through, reason }).slice(1)}`;
}

export function retryData(
  threadId: string,
  { trace_id, parent_trace_id, agent_id, data, created_at }: ThreadEventRecord,
): string {
  const { by, through, reason, attempt } = orderIn(data);
  const run = { thread_id: threadId, trace_id, parent_trace_id, agent_id };
  return JSON.stringify({ ...run, attempt, by, through, reason, at: isoTime(created_at) });
}

function statusData(
  run: { thread_id: string; trace_id: string | null; parent_trace_id: string | null; agent_id: string | null },
  state: { status: string; step_index: number | null; error: string | null; updated_at: number },
): string {
  const { thread_id, trace_id, parent_trace_id, agent_id } = run;
  const { status, step_index, updated_at } = state;
  const members = {
    thread_id,
    trace_id,
    parent_trace_id,
    agent_id,
    status,
    step_index,
    updated_at: isoTime(updated_at),
  };
  return `${JSON.stringify(members).slice(0, -1)},"error":${state.error ?? 'null'}}`;
}
