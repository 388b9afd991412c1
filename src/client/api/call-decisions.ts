import { NoDecisionError } from '../pending-call-tracker.js';
import type { Checkpoint } from '../report-data.js';
import type { Schemas } from './api-requests.js';

/** What a person decided about a tool call. */
export interface CallDecision {
  /** Whether the call may be made; of one that asks questions, whether they are answered. */
  approved: boolean;
  /** Of the call, else of the whole decision. */
  reason: string | null;
  decidedBy: string | null;
  /** With the changes that the person made. */
  args: unknown;
  isEdited: boolean;
  /** By the ids of the questions: a text, or several where the question takes several. Absent where there is no answer. */
  answers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The approval of a checkpoint, as far as it matters here. */
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

/** The run has ended: an approval of before no longer counts, and none will come. */
export const ENDED = new Set(['cancelled', 'error', 'completed', 'budget_exceeded']);

/**
 * The decision on each tool call of a checkpoint, by the id of the call; null while it is pending. Calls on which nobody decided in time
 * are not approved; of two calls with one id, neither is where people rejected one.
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
    // Frameworks may give two calls one id: whoever looks by it makes neither, if one is rejected.
    if (decisions.get(id)?.approved === false) continue;
    const reason = own ?? approval.reason;
    const approved = decision === null ? status === 'approved' : decision !== 'reject';
    const isEdited = edited_args !== null && edited_args !== undefined;
    const made = { approved, reason, decidedBy, args: isEdited ? edited_args : args, isEdited };
    decisions.set(id, { ...made, ...(answers && { answers }) });
  }
  return decisions;
}
