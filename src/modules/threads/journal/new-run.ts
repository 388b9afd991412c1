import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { UNKNOWN_AGENT } from '../bindings/run-meant.js';
import type { OpeningEvent } from './checkpoint-recorder.js';
import type { ThreadDraft } from './thread-draft.js';
import { NO_TAILS, type RunState } from './thread-state.js';

/**
 * A run that has no rows yet, and so no lists.
 * @param by the binding of the token that begins it; null for one that may speak for all
 */
export function newRun(
  { row, nowMs }: ThreadDraft,
  { fields, occurredAtMs }: OpeningEvent,
  traceId: string,
  { isSubAgent, by }: { isSubAgent: boolean; by: string | null },
): RunState {
  row.run_count += 1;
  return {
    row: {
      thread_pk: row.pk,
      run_no: row.run_count,
      trace_id: traceId,
      parent_trace_id: fields.parent_trace_id,
      parent_by: by,
      began_by: by,
      reported_by: by,
      agent_id: fields.agent_id ?? UNKNOWN_AGENT,
      is_sub_agent: isSubAgent,
      model: fields.model ?? '',
      status: RUN_STATUS.inProgress,
      attempt: 1,
      attempt_started_at: null,
      attempt_occurred_at: occurredAtMs,
      ending_digest: null,
      ending: null,
      mark: null,
      error: null,
      started_at: nowMs,
      updated_at: nowMs,
    },
    mark: null,
    latest: null,
    highestStepEver: -1,
    lastSaid: null,
    ...NO_TAILS,
  };
}
