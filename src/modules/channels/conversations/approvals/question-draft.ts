import { newId } from '../../../../common/ids.js';
import type { ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import type { QuestionDraft } from './chat-questions.js';
import { buttonsOf, type QuestionPayload } from './question-payload.js';
import { questionText } from './question-text.js';

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
