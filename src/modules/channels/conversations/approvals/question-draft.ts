import { cutText } from '../../../../common/cut-text.js';
import { digestOf } from '../../../../common/digest.js';
import { escapeInvisible } from '../../../../common/invisible-characters.js';
import { newId } from '../../../../common/ids.js';
import type { ApprovalFacts, ApprovalIdentity } from '../../../approvals/approvals-lookup.service.js';
import type { AskedPayload } from '../../messages/open-question.js';
import type { ChannelAdapter } from '../../platforms/channel-adapter.js';
import { OWN_BUTTON, type Button } from '../../platforms/outbound-message.js';
import { askedQuestions, buttonOptions } from './asked-questions.js';
import type { QuestionDraft, QuestionPlace } from './chat-questions.js';
import { questionText, type QuestionText } from './question-text.js';

type MessageLimits = Pick<ChannelAdapter, 'maxQuestionLength' | 'maxTextLength' | 'maxButtons'>;

/** The question about an approval, cut to the platform's limits. */
export function draftOf(approval: ApprovalFacts, limits: MessageLimits, dedupKey: string): QuestionDraft {
  const { threadId, traceId, step, attempt, digest, openedAtMs } = approval;
  const id = newId();
  const identity = { threadId, traceId, step, attempt, digest, openedAtMs };
  const content =
    approval.kind === 'question' ? questionContent(approval, id, limits) : callsContent(approval, id, limits);
  const { text, isWhole, buttons, asks } = content;
  const offered = allows(approval, 'reject') ? buttons : buttons.filter(({ data }) => !data.startsWith('reject:'));
  const payload: QuestionPayload = { approval: identity, buttons: offered, is_whole: isWhole, asks };
  return { id, dedupKey, text, payload };
}

/** What a message says and offers. */
interface Content extends QuestionText {
  buttons: readonly Button[];
  asks?: number;
}

function callsContent(approval: ApprovalFacts, id: string, { maxQuestionLength }: MessageLimits): Content {
  const shown = questionText(approval, maxQuestionLength);
  return { ...shown, buttons: buttonsOf(id, shown.isWhole && allows(approval, 'approve')) };
}

/** A message without buttons may be longer: answering by text is better than not at all. */
function questionContent(approval: ApprovalFacts, id: string, limits: MessageLimits): Content {
  const { maxQuestionLength, maxTextLength, maxButtons } = limits;
  const decline = { label: DECLINE, data: `reject:${id}` };
  const asked = askedQuestions(approval);
  const options = asked ? buttonOptions(asked, maxButtons) : [];
  const shown = questionText(approval, maxQuestionLength, options.length > 0);
  if (asked === null) return { ...shown, buttons: [decline] };
  if (!shown.isWhole) {
    const plain = questionText(approval, maxTextLength);
    return plain.isWhole ? { ...plain, buttons: [], asks: asked.length } : { ...shown, buttons: [decline] };
  }
  const chosen = optionButtons(
    id,
    options.map(({ label }) => label),
  );
  const buttons = chosen.length < maxButtons ? [...chosen, decline] : chosen;
  return { ...shown, buttons, asks: asked.length };
}

/**
 * The common prefix of the keys of all messages about the same calls. The calls need new messages when they wait again: in another attempt,
 * or after the agent continued without them.
 */
function approvalKey({ traceId, step, attempt, digest, openedAtMs }: ApprovalFacts): string {
  return `approval:${traceId}:${step}:${attempt}:${digest}:${openedAtMs}`;
}

/** The part of a question's key that names its chat. It stays the same when the platform moves the chat. */
export function chatKeyOf({ chat_id, topic }: Pick<QuestionPlace, 'chat_id' | 'topic'>): string {
  return `:in:${digestOf(JSON.stringify([chat_id, topic]))}`;
}

/** The same from the key of a message about the approval; empty in those of earlier versions, which asked in one chat of a channel. */
export function chatKeyIn(dedupKey: string, approval: ApprovalFacts): string {
  return /:in:[\w-]+/.exec(dedupKey.slice(approvalKey(approval).length))?.[0] ?? '';
}

/** Each reminder is its own message. */
export function questionKey(approval: ApprovalFacts, chatKey: string): string {
  const { reminded } = approval;
  return `${approvalKey(approval)}${reminded === 0 ? '' : `:reminder-${reminded}`}${chatKey}`;
}

const ESCALATED = ':escalated';

/** For the escalation chat, another chat of the same channel. */
export function escalationKey(approval: ApprovalFacts): string {
  return questionKey(approval, ESCALATED);
}

export function isAbout(dedupKey: string, approval: ApprovalFacts): boolean {
  return dedupKey.startsWith(approvalKey(approval));
}

export function isEscalated(dedupKey: string, approval: ApprovalFacts): boolean {
  return dedupKey.slice(approvalKey(approval).length).includes(ESCALATED);
}

/** `payload` of an outbound row of kind `question`, as JSON. */
export interface QuestionPayload extends AskedPayload {
  approval: ApprovalIdentity;
  buttons: readonly Button[];
  /** Whether the text shows everything to be decided; absent in questions from before this was stored. */
  is_whole?: boolean;
}

/** `payload` of an outbound row of kind `edit`, as JSON. */
export interface EditPayload {
  /** Our id of the question that it changes. */
  question_id: string;
}

/**
 * @param questionId our own id of the question: unguessable, and valid on every platform
 * @param isWhole everything to be approved is shown: nobody can approve what they have not seen
 */
export function buttonsOf(questionId: string, isWhole: boolean): Button[] {
  const reject = { label: 'Reject', data: `reject:${questionId}` };
  return isWhole ? [{ label: 'Approve', data: `approve:${questionId}` }, reject] : [reject];
}

const DECLINE = 'Decline';
const MAX_LABEL = 20;

/** If labels do not fit or coincide, all are cut and numbered. */
export function optionButtons(questionId: string, options: readonly string[]): Button[] {
  const labels = options.map((label) => escapeInvisible(label.replaceAll(/\s+/g, ' ').trim()));
  const isDistinct = new Set([...labels, DECLINE]).size === labels.length + 1;
  const fit = isDistinct && labels.every((label) => label.length <= MAX_LABEL);
  return labels.map((label, i) => ({
    label: fit ? label : cutText(`${i + 1}. ${label}`, MAX_LABEL),
    data: `option-${i + 1}:${questionId}`,
  }));
}

function allows({ calls }: ApprovalFacts, decision: 'approve' | 'reject'): boolean {
  return calls.every(({ allowed }) => allowed === undefined || allowed.includes(decision));
}

/** One of our buttons. */
export interface QuestionButton {
  verb: 'approve' | 'reject' | 'answer';
  questionId: string;
  /** For verb `answer`, from 0. */
  option?: number;
}

/** Reads a button's payload; null if it is not ours. */
export function readButton(data: string): QuestionButton | null {
  const match = OWN_BUTTON.exec(data);
  if (!match) return null;
  const [, verb = '', questionId = ''] = match;
  if (verb === 'approve' || verb === 'reject') return { verb, questionId };
  return { verb: 'answer', questionId, option: Number(verb.slice('option-'.length)) - 1 };
}
