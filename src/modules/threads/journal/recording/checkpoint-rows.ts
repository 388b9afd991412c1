import { NO_FIELDS_REPORTED, withFields, type ReportedFields } from '../../../../common/contract/checkpoint-fields.js';
import { RUN_STATUS } from '../../../../common/contract/run-status.js';
import { callsDigestOf } from '../../../../common/digest.js';
import { valuesOf } from '../../../../common/member-values.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { extraText } from '../rules/extra-members.js';
import { storedList } from '../../message-log/continued-lists.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Ending, RunLists, RunState } from '../rules/thread-state.js';

export function initialRow(draft: ThreadDraft, run: RunState, lists: RunLists): Checkpoint {
  const row = blankRow(draft, run, NO_FIELDS_REPORTED);
  row.is_initial = true;
  return withLists(row, lists, lists);
}

/**
 * The row of a reported checkpoint; missing fields come from its run.
 * @param before the lists that its own were compared with
 */
export function reportedRow(
  draft: ThreadDraft,
  run: RunState,
  { id, fields, pendingToolCalls, extra }: ReportedEvent,
  lists: RunLists,
  before: RunLists,
): Checkpoint {
  const row = blankRow(draft, run, fields);
  row.event_id = id;
  row.status = fields.status ?? RUN_STATUS.inProgress;
  row.agent_id = fields.agent_id ?? run.row.agent_id;
  row.pending_tool_calls = pendingToolCalls;
  row.extra = extraText(extra);
  return withLists(row, lists, before);
}

function withLists(row: Checkpoint, { history, meta }: RunLists, before: RunLists): Checkpoint {
  row.history_length = history.count;
  if (history.count > 0) {
    const { text, from, length } = storedList(history.ranges, before.history);
    row.history = text;
    row.history_from = from;
    row.history_from_length = length;
  }
  if (meta.count > 0) {
    const { text, from, length } = storedList(meta.ranges, before.meta);
    row.history_meta = text;
    row.history_meta_from = from;
    row.history_meta_from_length = length;
  }
  return row;
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
    history_from: null,
    history_from_length: null,
    history_length: 0,
    history_meta: '',
    history_meta_from: null,
    history_meta_from_length: null,
    extra: null,
    error: null,
    approval: null,
    rev: seq,
    created_at: draft.nowMs,
    updated_at: draft.nowMs,
  };
  return withFields(row, fields, run.row.model);
}

/** A checkpoint that arrives after its run ended shows that ending, as if it had arrived in time. */
export function takeOverEnding(row: Checkpoint, { row: run, latest }: RunState): void {
  const ending = run.ending === null ? null : (JSON.parse(run.ending) as Ending);
  row.status = run.status;
  row.error = latest?.error ?? run.error;
  row.tokens_used = ending?.tokens_used ?? row.tokens_used;
  row.model = ending?.model ?? row.model;
  row.run_cost_usd = ending?.run_cost_usd ?? row.run_cost_usd;
  row.budget_usd = ending?.budget_usd ?? row.budget_usd;
  row.budget_warning ||= ending?.budget_warning ?? false;
}

/** A decision holds if the same step reports the same calls again, even with other calls in between. */
export function keepDecision(row: Checkpoint, reports: readonly Checkpoint[]): void {
  if (row.pending_tool_calls === null) return;
  const callsDigest = callsDigestOf(row.pending_tool_calls);
  for (const { attempt, approval } of reports) {
    if (attempt !== row.attempt || approval === null) continue;
    const { status, digest } = valuesOf(approval.slice(1, -1), ['status', 'digest']);
    if (digest !== callsDigest) continue;
    row.approval = approval;
    row.pending_tool_calls = null;
    row.status = status === RUN_STATUS.approved ? RUN_STATUS.approved : RUN_STATUS.rejected;
  }
}
