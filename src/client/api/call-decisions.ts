import { NoDecisionError } from '../pending-call-tracker.js';
import type { Checkpoint } from '../report-data.js';
import type { Schemas } from './api-requests.js';

/** What a person decided about a tool call. */
export interface CallDecision {
  /** Whether the call may be made; for a call that asks questions, whether they were answered. */
  approved: boolean;
  /** The call's own reason, otherwise that of the whole decision. */
  reason: string | null;
  decidedBy: string | null;
  /** The arguments with the person's changes. */
  args: unknown;
  isEdited: boolean;
  /** By question id: a text, or several if the question takes several. Absent without answers. */
  answers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The members of a checkpoint's approval that are used here. */
interface Approval {
  status: string;
  reason: string | null;
  decided_by: string | null;
  tool_calls: {
    id: string;
    args: unknown;
    decision: 'approve' | 'reject' | 'answer' | null;
    answers?: Readonly<Record<string, string | readonly string[]>>;
    edited_args: unknown;
    reason?: string | null;
  }[];
}

/** After these, an earlier approval no longer counts, and none will follow. */
export const ENDED = new Set(['cancelled', 'error', 'completed', 'budget_exceeded']);

/**
 * The decision on each tool call of a checkpoint, by call id; null while it is pending. Calls without a decision in time are not approved.
 * If calls share an id, all of them are rejected when one is.
 * @throws NoDecisionError when nobody can decide any more
 */
export function callDecisions(checkpoint: Schemas['CheckpointDto']): Map<string, CallDecision> | null {
  const approval = checkpoint.approval as unknown as Approval | null;
  if (ENDED.has(checkpoint.status)) throw new NoDecisionError(checkpoint as unknown as Checkpoint, 'it has ended');
  if (checkpoint.status === 'waiting_for_approval' || (!approval && checkpoint.pending_tool_calls?.length)) return null;
  if (!approval || approval.status === 'superseded') {
    throw new NoDecisionError(checkpoint as unknown as Checkpoint, 'nobody can decide any more');
  }
  const { status, decided_by: decidedBy, tool_calls } = approval;
  const decisions = new Map<string, CallDecision>();
  for (const { id, args, decision, edited_args, reason: own, answers } of tool_calls) {
    // Frameworks may give two calls the same id. A lookup by id must not approve a rejected one.
    if (decisions.get(id)?.approved === false) continue;
    const reason = own ?? approval.reason;
    const approved = decision === null ? status === 'approved' : decision !== 'reject';
    const isEdited = edited_args !== null && edited_args !== undefined;
    const made = { approved, reason, decidedBy, args: isEdited ? edited_args : args, isEdited };
    decisions.set(id, { ...made, ...(answers && { answers }) });
  }
  return decisions;
}
