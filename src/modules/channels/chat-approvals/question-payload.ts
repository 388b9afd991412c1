import type { ApprovalIdentity } from '../../approvals/approvals-lookup.service.js';
import type { Button } from '../outbound-message.js';

export type PressVerb = 'approve' | 'reject';

/** `payload` of an outbound row of kind `question`, as JSON. */
export interface QuestionPayload {
  approval: ApprovalIdentity;
  buttons: readonly Button[];
}

/** `payload` of an outbound row of kind `edit`, as JSON. */
export interface EditPayload {
  /** Our id of the question that it changes. */
  question_id: string;
}

/** @param questionId our own id of the question: nobody can guess it, and it fits every platform */
export function buttonsOf(questionId: string): Button[] {
  return [
    { label: 'Approve', data: `approve:${questionId}` },
    { label: 'Reject', data: `reject:${questionId}` },
  ];
}

/** What a button of ours says; null for any other. */
export function readButton(data: string): { verb: PressVerb; questionId: string } | null {
  const match = /^(approve|reject):([0-9a-f-]{36})$/.exec(data);
  return match ? { verb: match[1] as PressVerb, questionId: match[2]! } : null;
}
