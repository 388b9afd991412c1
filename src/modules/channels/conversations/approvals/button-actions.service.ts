import { asTyped } from '../../../../config/as-typed.js';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { Logger } from '../../../../common/logger.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { ApprovalsLookupService, type ApprovalFacts } from '../../../approvals/approvals-lookup.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage, PressPayload } from '../../messages/channel-message.entity.js';
import { deciderIn, isApprover } from './approvers.js';
import { askedQuestions } from './asked-questions.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import { ChatDecisions, NOT_ALLOWED, TOO_LATE, type ChatCommand } from './chat-decisions.service.js';
import { readButton, type QuestionButton, type QuestionPayload } from './question-draft.js';
import { questionText } from './question-text.js';

/** The outcome of a press, and the text for the person who pressed. */
interface PressVerdict {
  status: 'done' | 'dropped';
  /** For the message log; null if it decided. */
  reason: string | null;
  answer: string;
}

/** Presses of one chat handled at a time. */
const BATCH = 20;

const OUT_OF_DATE = 'This button is out of date.';
const NOT_SHOWN = 'Not all of it was shown here, so it cannot be approved here. `waystation export` shows all of it.';
const NO_ANSWER = 'This is a question: it needs an answer, not an approval.';
const SAID = { approve: 'Approved.', reject: 'Rejected.', answer: 'Answered.' };

/** Decides approvals by the buttons under their questions. */
@Injectable()
export class ButtonActions implements OnModuleDestroy {
  private readonly stop = new AbortController();
  private readonly answers = new Set<Promise<void>>();

  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly decisions: ChatDecisions,
    private readonly lookup: ApprovalsLookupService,
    private readonly group: GroupCommit,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.answers);
  }

  /**
   * Handles the next batch of a chat's waiting presses. Repeating a decision after a crash changes nothing.
   * @returns whether more may wait
   */
  async handleWaiting(open: OpenChannel, chatId: string): Promise<boolean> {
    const waiting = await this.repository.received(open.channel.id, chatId, 'press', BATCH);
    for (const press of waiting) await this.close(open, press, await this.judge(open, press));
    return waiting.length === BATCH;
  }

  private async judge(open: OpenChannel, press: ChannelMessage): Promise<PressVerdict> {
    const button = readButton((JSON.parse(press.payload ?? '{}') as PressPayload).data ?? '');
    const question = button && (await this.findQuestion(press, button.questionId));
    if (!button || !question) return { status: 'dropped', reason: 'no button of ours', answer: OUT_OF_DATE };
    if (!isApprover(open, press.user_id)) return { status: 'dropped', reason: 'not an approver', answer: NOT_ALLOWED };
    const payload = JSON.parse(question.payload ?? '{}') as QuestionPayload;
    const approval = button.verb === 'reject' ? null : await this.lookup.find(payload.approval);
    if (button.verb === 'approve' && approval?.kind === 'question')
      return { status: 'dropped', reason: 'a question needs an answer', answer: NO_ANSWER };
    if (button.verb === 'approve' && !this.isShownWhole(open, question, payload, approval))
      return { status: 'dropped', reason: 'not all that waits was shown', answer: asTyped(NOT_SHOWN) };
    const command = commandOf(button, payload, approval, deciderIn(open, press));
    if (command === null) return { status: 'dropped', reason: 'no option of the question', answer: OUT_OF_DATE };
    const late = await this.decisions.decide(payload.approval, command);
    if (late !== null) return { status: 'dropped', reason: late, answer: TOO_LATE };
    return { status: 'done', reason: null, answer: SAID[button.verb] };
  }

  /** Null if the question does not exist or belongs to another channel. A press shows that the question arrived. */
  private async findQuestion(press: ChannelMessage, questionId: string): Promise<ChannelMessage | null> {
    const question = await this.repository.findQuestion(press.channel_id, questionId);
    const { external_id: externalId } = press;
    if (question?.status === 'unknown' && externalId !== null) {
      await this.group.run((session) => this.repository.noteSeen(session, question, externalId, this.clock.nowMs()));
    }
    return question;
  }

  /**
   * Earlier versions treated calls that are too large to show as shown, and before that did not store `is_whole`: such questions count if
   * today's version would ask them in the same words.
   */
  private isShownWhole(
    { adapter }: OpenChannel,
    { text }: ChannelMessage,
    payload: QuestionPayload,
    approval: ApprovalFacts | null,
  ): boolean {
    if (payload.is_whole === false || approval?.isCut) return false;
    if (payload.is_whole !== undefined) return true;
    if (approval === null) return false;
    const today = questionText(approval, adapter.maxQuestionLength);
    return today.isWhole && today.text === text;
  }

  /** Stores the verdict without waiting for the response to the platform, which must come soon and is of no use later. */
  private async close(open: OpenChannel, press: ChannelMessage, verdict: PressVerdict): Promise<void> {
    await this.group.run((session) => this.repository.close(session, press, verdict, this.clock.nowMs()));
    const { press_id: pressId } = JSON.parse(press.payload ?? '{}') as PressPayload;
    const answering = this.answer(open, pressId, verdict.answer).finally(() => this.answers.delete(answering));
    this.answers.add(answering);
  }

  private async answer({ channel, account, adapter }: OpenChannel, pressId: string, text: string): Promise<void> {
    try {
      await adapter.answerPress(account, pressId, text, this.stop.signal);
    } catch (error) {
      this.logger.warn({ err: error, channel_id: channel.id }, 'button press not acknowledged');
    }
  }
}

/** Null for an option that the question did not offer. */
function commandOf(
  { verb, option = -1 }: QuestionButton,
  { buttons }: QuestionPayload,
  approval: ApprovalFacts | null,
  decidedBy: string,
): ChatCommand | null {
  if (verb !== 'answer') return { verb, decidedBy };
  const [asked] = (approval && askedQuestions(approval)) ?? [];
  const chosen = asked?.question.options[option];
  if (!asked || !chosen || !buttons.some(({ data }) => data.startsWith(`option-${option + 1}:`))) return null;
  const values = { [asked.question.id]: chosen.value };
  return { verb, decidedBy, answers: [{ index: asked.index, values }] };
}
