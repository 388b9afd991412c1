import { isoTime, isoTimeOrNull } from '../../common/clock.js';
import type { CallsOutcome } from '../threads/journal/pending-tool-calls.service.js';
import type { Approval } from './approval.entity.js';
import { termsOf } from './decision/call-terms.js';
import type { KeptDecision } from './decision/decision.js';
import { showCalls } from './decision/shown-calls.js';
import type { ToolCall } from './decision/tool-calls.js';

/**
 * The record of an approval as JSON text; what agents reported is passed through unchanged.
 * @param calls the result of `callsJson`, if the caller has it already
 */
export function approvalJson(approval: Approval, calls = callsJson(approval)): string {
  const { thread_id, trace_id, parent_trace_id, agent_id, step_index, status, digest, reason, decided_by } = approval;
  const { kind } = approval;
  const head = JSON.stringify({ trace_id, step: step_index, thread_id, agent_id, parent_trace_id, kind, status });
  const tail = JSON.stringify({
    digest,
    approval_features: JSON.parse(approval.features) as unknown,
    attempt: approval.attempt,
    created_at: isoTime(approval.created_at),
    expires_at: isoTimeOrNull(approval.expires_at),
    reminded: approval.reminded,
    decided_at: isoTimeOrNull(approval.decided_at),
    decided_by,
    decided_through: approval.decided_through,
    reason,
    rule_id: firstRule(approval),
  });
  return `${head.slice(0, -1)},${calls},${tail.slice(1)}`;
}

/** The response to an accepted decision: the record, plus members that clients of other servers expect. */
export function decidedJson(approval: Approval): string {
  return `${approvalJson(approval).slice(0, -1)},"ok":true,"step_index":${approval.step_index}}`;
}

/** The decision in `latest`, for the waiting agent. */
export function decisionJson(approval: Approval): string {
  const head = JSON.stringify({ status: approval.status, digest: approval.digest });
  const tail = JSON.stringify({
    decided_at: isoTimeOrNull(approval.decided_at),
    decided_by: approval.decided_by,
    reason: approval.reason,
  });
  return `${head.slice(0, -1)},${callsJson(approval)},${tail.slice(1)}`;
}

/** What a closed approval means for its run and the run's followers. */
export function outcomeOf(closed: Approval): CallsOutcome {
  const status = closed.status === 'approved' ? 'approved' : 'rejected';
  return { status, approval: decisionJson(closed), record: approvalJson(closed), type: closed.status };
}

/** The members that describe the calls. */
export function callsJson({ tool_calls, features, decisions }: Approval): string {
  const kept = decisions === null ? [] : (JSON.parse(decisions) as KeptDecision[]);
  const declared = JSON.parse(features) as string[];
  const { calls, isCut } = showCalls(tool_calls);
  const items = calls.map((call) => callJson(call, declared, kept[call.index] ?? null)).join(',');
  return `"tool_calls":[${items}]${isCut ? ',"tool_calls_cut":true' : ''}`;
}

function callJson(call: ToolCall, features: readonly string[], kept: KeptDecision | null): string {
  const { index, id, name, args, raw } = call;
  const { questions, allowed } = termsOf(call, features);
  const head = JSON.stringify({ index, id, name });
  const decided = JSON.stringify({
    ...(kept?.answers && { answers: kept.answers }),
    ...(kept?.reason && { reason: kept.reason }),
    ...(questions && { questions }),
    ...(allowed && { allowed_decisions: allowed }),
  });
  const more = decided === '{}' ? '' : `,${decided.slice(1, -1)}`;
  const decision = JSON.stringify(kept?.decision ?? null);
  const rule = kept?.rule_id ? `,"rule_id":${JSON.stringify(kept.rule_id)}` : '';
  return `${head.slice(0, -1)},"args":${args},"decision":${decision},"edited_args":${kept?.edited_args ?? 'null'}${more}${rule},"raw":${raw}}`;
}

/** The first of the rules that decided: the approval names only one. */
function firstRule({ rule_id }: Approval): string | null {
  return rule_id === null ? null : rule_id.split(' ')[0]!;
}
