import { NO_FIELDS_REPORTED, withFields, type ReportedFields } from '../../../common/contract/checkpoint-fields.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { extraText } from './extra-members.js';
import { formatRanges } from '../message-log/ranges.js';
import type { ReportedEvent } from '../threads.contract.js';
import type { ThreadDraft } from './thread-draft.js';
import type { ListTail, RunState } from './thread-state.js';

/** The row that a start creates, with the lists that the run carries forward. */
export function initialRow(draft: ThreadDraft, run: RunState, [history, meta]: readonly ListTail[]): Checkpoint {
  return {
    ...blankRow(draft, run, NO_FIELDS_REPORTED),
    is_initial: true,
    history: formatRanges(history?.ranges ?? []),
    history_length: history?.count ?? 0,
    history_meta: formatRanges(meta?.ranges ?? []),
  };
}

/** The row of a reported checkpoint; what it leaves out is taken from its run, or is nothing. */
export function reportedRow(
  draft: ThreadDraft,
  run: RunState,
  { id, fields, pendingToolCalls, extra }: ReportedEvent,
  [history, meta]: readonly [ListTail, ListTail],
): Checkpoint {
  return {
    ...blankRow(draft, run, fields),
    event_id: id,
    status: fields.status ?? RUN_STATUS.inProgress,
    agent_id: fields.agent_id ?? run.row.agent_id,
    history: formatRanges(history.ranges),
    history_length: history.count,
    history_meta: formatRanges(meta.ranges),
    pending_tool_calls: pendingToolCalls,
    extra: extraText(extra),
  };
}

function blankRow(draft: ThreadDraft, run: RunState, fields: ReportedFields): Checkpoint {
  const seq = draft.nextSeq();
  const row = {
    thread_pk: draft.pk,
    seq,
    run_no: run.row.run_no,
    attempt: run.row.attempt,
    step_index: 0,
    is_current: true,
    is_initial: false,
    digest: '',
    event_id: null,
    list_digests: null,
    status: RUN_STATUS.inProgress,
    agent_id: run.row.agent_id,
    history: '',
    history_length: 0,
    history_meta: '',
    extra: null,
    error: null,
    approval: null,
    rev: seq,
    created_at: draft.nowMs,
    updated_at: draft.nowMs,
  };
  return withFields(row, fields, run.row.model);
}
