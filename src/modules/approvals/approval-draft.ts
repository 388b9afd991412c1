import { valuesOf } from '../../common/member-values.js';
import type { CallsChanged } from '../threads/threads.contract.js';
import type { Approval, ApprovalKind } from './approval.entity.js';
import { ANSWER, termsOf } from './decision/call-terms.js';
import { keptCalls, showCalls } from './decision/shown-calls.js';

/** The latest time that every ISO parser accepts: the end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;

/**
 * The pending approval for a checkpoint's tool calls.
 * @param timeoutSeconds for checkpoints without their own timeout; 0 for none
 * @param remindSeconds the same for reminders; empty for none
 */
export function draftApproval(
  threadId: string,
  { run, checkpoint, callsDigest: digest }: CallsChanged,
  openedMs: number,
  timeoutSeconds: number,
  remindSeconds: readonly number[] = [],
): Approval {
  const { thread_pk, run_no, attempt, step_index, seq, agent_id, extra } = checkpoint;
  const { approval_features, approval_timeout_seconds: own, approval_remind_seconds } = declaredIn(extra);
  const reminders = approval_remind_seconds ?? remindSeconds;
  const features = approval_features ?? [];
  const calls = keptCalls(checkpoint.pending_tool_calls!);
  return {
    ...{ thread_pk, run_no, attempt, step_index, digest, seq, thread_id: threadId, agent_id },
    trace_id: run.trace_id,
    parent_trace_id: run.parent_trace_id,
    status: 'pending',
    tool_calls: calls,
    features: JSON.stringify(features),
    kind: kindOf(calls, features),
    decisions: null,
    verb: null,
    reason: null,
    decided_by: null,
    decided_through: null,
    rule_id: null,
    created_at: openedMs,
    expires_at: expiryOf(openedMs, own ?? timeoutSeconds),
    reminders: reminders.length === 0 ? null : JSON.stringify(reminders),
    reminded: 0,
    remind_at: nextReminder(openedMs, reminders, openedMs),
    decided_at: null,
    changed_at: openedMs,
  };
}

/** When people are reminded next; overdue reminders count as one. */
export function nextReminder(openedMs: number, reminders: readonly number[], nowMs: number): number | null {
  return reminders.map((seconds) => openedMs + seconds * 1000).find((atMs) => atMs > nowMs) ?? null;
}

function kindOf(calls: string, features: readonly string[]): ApprovalKind {
  if (!features.includes(ANSWER)) return 'approval';
  return showCalls(calls).calls.some((call) => termsOf(call, features).questions) ? 'question' : 'approval';
}

function expiryOf(openedMs: number, timeoutSeconds: number): number | null {
  if (timeoutSeconds === 0) return null;
  return Math.min(openedMs + Math.ceil(timeoutSeconds * 1000), MAX_TIME_MS);
}

/** Null counts as absent; ingestion has checked the types. */
interface Declared {
  approval_features?: string[] | null;
  approval_timeout_seconds?: number | null;
  approval_remind_seconds?: readonly number[] | null;
}

function declaredIn(extra: CallsChanged['checkpoint']['extra']): Declared {
  return valuesOf(extra, ['approval_features', 'approval_timeout_seconds', 'approval_remind_seconds']);
}
