import { asTyped } from '../../../../config/as-typed.js';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { DomainError } from '../../../../common/domain-error.js';
import { Logger } from '../../../../common/logger.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { ApprovalsLookupService } from '../../../approvals/approvals-lookup.service.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage, PressPayload } from '../../messages/channel-message.entity.js';
import { approversOf } from './approvers.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import { readButton, type PressVerb, type QuestionPayload } from './question-draft.js';
import { questionText } from './question-text.js';

/** The outcome of a press, and the reply to the person who pressed. */
interface PressVerdict {
  status: 'done' | 'dropped';
  /** For the message log; null if it decided. */
  reason: string | null;
  answer: string;
}

/** Presses of one chat that are handled at a time. */
const BATCH = 20;

const OUT_OF_DATE = 'This button is out of date.';
const NOT_ALLOWED = 'You may not decide this.';
const NOT_SHOWN = 'Not all of it was shown here, so it cannot be approved here. `waystation export` shows all of it.';
const TOO_LATE = 'This was decided before, or is no longer needed.';

/** Decides approvals by the buttons under their questions. */
@Injectable()
export class ButtonActions implements OnModuleDestroy {
  private readonly stop = new AbortController();
  private readonly answers = new Set<Promise<void>>();

  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly approvals: ApprovalsService,
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
   * Handles the presses of a chat that wait, so many at a time. After a crash the same decision again changes nothing.
   * @returns whether more may wait
   */
  async handleWaiting(open: OpenChannel, chatId: string): Promise<boolean> {
    const waiting = await this.repository.presses(open.channel.id, chatId, BATCH);
    for (const press of waiting) await this.close(open, press, await this.judge(open, press));
    return waiting.length === BATCH;
  }

  private async judge(open: OpenChannel, press: ChannelMessage): Promise<PressVerdict> {
    const button = readButton((JSON.parse(press.payload ?? '{}') as PressPayload).data ?? '');
    const question = button && (await this.findQuestion(press, button.questionId));
    if (!button || !question) return { status: 'dropped', reason: 'no button of ours', answer: OUT_OF_DATE };
    if (!mayDecide(open, press.user_id)) return { status: 'dropped', reason: 'not an approver', answer: NOT_ALLOWED };
    const payload = JSON.parse(question.payload ?? '{}') as QuestionPayload;
    if (button.verb === 'approve' && !(await this.isShownWhole(open, question, payload))) {
      return { status: 'dropped', reason: 'not all that waits was shown', answer: asTyped(NOT_SHOWN) };
    }
    try {
      await this.decide(payload, button.verb, nameOf(open, press));
    } catch (error) {
      if (!(error instanceof DomainError) || !['conflict', 'not_found'].includes(error.kind)) throw error;
      return { status: 'dropped', reason: error.message, answer: TOO_LATE };
    }
    return { status: 'done', reason: null, answer: button.verb === 'approve' ? 'Approved.' : 'Rejected.' };
  }

  /** Null if it is of another channel, or none. Whoever presses its button has seen it. */
  private async findQuestion(press: ChannelMessage, questionId: string): Promise<ChannelMessage | null> {
    const question = await this.repository.findQuestion(press.channel_id, questionId);
    const { external_id: externalId } = press;
    if (question?.status === 'unknown' && externalId !== null) {
      await this.group.run((session) => this.repository.noteSeen(session, question, externalId, this.clock.nowMs()));
    }
    return question;
  }

  /**
   * Earlier versions took calls that are too large to show for shown, and before that did not note `is_whole`: such questions count
   * where they would be asked in the same words today.
   */
  private async isShownWhole({ adapter }: OpenChannel, { text }: ChannelMessage, payload: QuestionPayload) {
    if (payload.is_whole === false) return false;
    const approval = await this.lookup.find(payload.approval);
    if (approval?.isCut) return false;
    if (payload.is_whole !== undefined) return true;
    if (approval === null) return false;
    const today = questionText(approval, adapter.maxQuestionLength);
    return today.isWhole && today.text === text;
  }

  private async decide({ approval }: QuestionPayload, verb: PressVerb, decidedBy: string): Promise<void> {
    const { threadId, traceId, step, digest } = approval;
    const order = { verb, reason: null, decidedBy, digest, decisions: [] };
    await this.approvals.decide({ traceId, step, threadId }, order, 'channel');
  }

  /** Stores the verdict. Nothing waits for the answer to the platform: it must come soon, and matters to nobody later. */
  private async close(open: OpenChannel, press: ChannelMessage, verdict: PressVerdict): Promise<void> {
    await this.group.run((session) => this.repository.closePress(session, press, verdict, this.clock.nowMs()));
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

function mayDecide(open: OpenChannel, userId: string | null): boolean {
  return userId !== null && approversOf(open).includes(userId);
}

function nameOf({ channel }: OpenChannel, { user_id, user_name }: ChannelMessage): string {
  const id = `${channel.channel_type}:${user_id}`;
  return user_name === null ? id : `${id} (${user_name})`;
}
