// Every copy has the same object shape, whether its source came from the database, a new thread or another copy. Spreading objects of many
// shapes takes V8's slow path, which cost 2 % of a report.
import type { Run } from '../../entities/run.entity.js';
import type { ThreadAgent } from '../../entities/thread-agent.entity.js';
import type { Thread } from '../../entities/thread.entity.js';
import type { RunState } from '../rules/thread-state.js';

export function copyOfThread(row: Thread): Thread {
  return {
    pk: row.pk,
    id: row.id,
    last_seq: row.last_seq,
    next_message: row.next_message,
    next_meta: row.next_meta,
    run_count: row.run_count,
    current_run: row.current_run,
    latest_seq: row.latest_seq,
    status: row.status,
    model: row.model,
    agents: row.agents,
    last_message: row.last_message,
    open_runs: row.open_runs,
    pending_approvals: row.pending_approvals,
    total_tokens: row.total_tokens,
    total_cost_usd: row.total_cost_usd,
    started_at: row.started_at,
    updated_at: row.updated_at,
    paused_ms: row.paused_ms,
    last_fence: row.last_fence,
    change_no: row.change_no,
  };
}

export function copyOfAgent(row: ThreadAgent): ThreadAgent {
  return {
    thread_pk: row.thread_pk,
    agent_id: row.agent_id,
    latest_run: row.latest_run,
    own_run: row.own_run,
    progress_seq: row.progress_seq,
    standing: row.standing,
    open_runs: row.open_runs,
    updated_at: row.updated_at,
  };
}

/** Copies the row and the mark; the latest checkpoint and the lists are never mutated. */
export function copyOfRun({ row, mark, latest, highestStepEver, lastSaid, history, meta }: RunState): RunState {
  return { row: copyOfRow(row), mark: mark && { ...mark }, latest, highestStepEver, lastSaid, history, meta };
}

export function copyOfRow(row: Run): Run {
  return {
    thread_pk: row.thread_pk,
    run_no: row.run_no,
    trace_id: row.trace_id,
    parent_trace_id: row.parent_trace_id,
    agent_id: row.agent_id,
    is_sub_agent: row.is_sub_agent,
    model: row.model,
    status: row.status,
    attempt: row.attempt,
    attempt_started_at: row.attempt_started_at,
    attempt_occurred_at: row.attempt_occurred_at,
    ending_digest: row.ending_digest,
    ending: row.ending,
    mark: row.mark,
    retry: row.retry,
    error: row.error,
    began_by: row.began_by,
    parent_by: row.parent_by,
    reported_by: row.reported_by,
    started_at: row.started_at,
    updated_at: row.updated_at,
  };
}
