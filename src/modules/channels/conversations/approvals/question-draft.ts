import { newId } from '../../../../common/ids.js';
import type { ApprovalFacts, ApprovalIdentity } from '../../../approvals/approvals-lookup.service.js';
import type { QuestionDraft } from './chat-questions.js';
import { questionText } from './question-text.js';
import { OWN_BUTTON, type Button } from '../../platforms/outbound-message.js';

/** The question about an approval, cut to what a message of the platform may hold. */
export function draftOf(approval: ApprovalFacts, maxLength: number): QuestionDraft {
  const { threadId, traceId, step, attempt, digest, openedAtMs } = approval;
  const id = newId();
  const identity = { threadId, traceId, step, attempt, digest, openedAtMs };
  const { text, isWhole } = questionText(approval, maxLength);
  const payload: QuestionPayload = { approval: identity, buttons: buttonsOf(id, isWhole), is_whole: isWhole };
  return { id, dedupKey: questionKey(approval), text, payload };
}

/** The same calls need a new question when they wait again, in another attempt or after the agent had gone on without them. */
export function questionKey({ traceId, step, attempt, digest, openedAtMs }: ApprovalFacts): string {
  return `approval:${traceId}:${step}:${attempt}:${digest}:${openedAtMs}`;
}

export type PressVerb = 'approve' | 'reject';

/** `payload` of an outbound row of kind `question`, as JSON. */
export interface QuestionPayload {
  approval: ApprovalIdentity;
  buttons: readonly Button[];
  /** Whether the text shows all that can be approved; absent in questions that were asked before this was noted. */
  is_whole?: boolean;
}

/** `payload` of an outbound row of kind `edit`, as JSON. */
export interface EditPayload {
  /** Our id of the question that it changes. */
  question_id: string;
}

/**
 * @param questionId our own id of the question: nobody can guess it, and it fits every platform
 * @param isWhole all that would be approved is shown: what nobody has seen nobody can approve
 */
export function buttonsOf(questionId: string, isWhole: boolean): Button[] {
  const reject = { label: 'Reject', data: `reject:${questionId}` };
  return isWhole ? [{ label: 'Approve', data: `approve:${questionId}` }, reject] : [reject];
}

/** The payload of one of our buttons; null for any other. */
export function readButton(data: string): { verb: PressVerb; questionId: string } | null {
  const match = OWN_BUTTON.exec(data);
  return match ? { verb: match[1] as PressVerb, questionId: match[2]! } : null;
}
