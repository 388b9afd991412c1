import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../common/domain-error.js';
import { ApprovalsLookupService } from '../../../approvals/approvals-lookup.service.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import { ChannelAdapters } from '../../platforms/channel-adapters.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { PressPayload } from '../../messages/inbound-payload.js';
import { ChatPresses, PRESS_BATCH, type PressVerdict } from './chat-presses.js';
import { readButton, type PressVerb, type QuestionPayload } from './question-payload.js';
import { questionText } from './question-text.js';

const OUT_OF_DATE = 'This button is out of date.';
const NOT_ALLOWED = 'You may not decide this.';
const NOT_SHOWN = 'Not all of it was shown here, so it cannot be approved here. `waystation approvals` shows it.';
const TOO_LATE = 'This was decided before, or is no longer needed.';

/** Decides approvals by the buttons under their questions. */
@Injectable()
export class PressesService {
  constructor(
    private readonly presses: ChatPresses,
    private readonly approvals: ApprovalsService,
    private readonly lookup: ApprovalsLookupService,
    private readonly adapters: ChannelAdapters,
  ) {}

  /**
   * Looks after the presses of a chat that wait, so many at a time. After a crash the same decision again changes nothing.
   * @returns whether more may wait
   */
  async workOff(open: OpenChannel, chatId: string): Promise<boolean> {
    const waiting = await this.presses.waiting(open.channel.id, chatId);
    for (const press of waiting) {
      const verdict = await this.judge(open, press);
      await this.presses.close(open, press, verdict);
    }
    return waiting.length === PRESS_BATCH;
  }

  private async judge(open: OpenChannel, press: ChannelMessage): Promise<PressVerdict> {
    const button = readButton((JSON.parse(press.payload ?? '{}') as PressPayload).data ?? '');
    const question = button && (await this.presses.findQuestion(press, button.questionId));
    if (!button || !question) return { status: 'dropped', reason: 'no button of ours', answer: OUT_OF_DATE };
    if (!mayDecide(open, press.user_id)) return { status: 'dropped', reason: 'not an approver', answer: NOT_ALLOWED };
    const payload = JSON.parse(question.payload ?? '{}') as QuestionPayload;
    if (button.verb === 'approve' && !(await this.isShownWhole(open, question, payload))) {
      return { status: 'dropped', reason: 'not all that waits was shown', answer: NOT_SHOWN };
    }
    try {
      await this.decide(payload, button.verb, nameOf(open, press));
    } catch (error) {
      if (!(error instanceof DomainError) || !['conflict', 'not_found'].includes(error.kind)) throw error;
      return { status: 'dropped', reason: error.message, answer: TOO_LATE };
    }
    return { status: 'done', reason: null, answer: button.verb === 'approve' ? 'Approved.' : 'Rejected.' };
  }

  /** Questions that were asked before this was noted count where they would be asked in the same words today. */
  private async isShownWhole({ channel }: OpenChannel, { text }: ChannelMessage, payload: QuestionPayload) {
    if (payload.is_whole !== undefined) return payload.is_whole;
    const approval = await this.lookup.find(payload.approval);
    if (approval === null) return false;
    const today = questionText(approval, this.adapters.get(channel.channel_type).maxQuestionLength);
    return today.isWhole && today.text === text;
  }

  private async decide({ approval }: QuestionPayload, verb: PressVerb, decidedBy: string): Promise<void> {
    const { threadId, traceId, step, digest } = approval;
    const order = { verb, reason: null, decidedBy, digest, decisions: [] };
    await this.approvals.decide({ traceId, step, threadId }, order, 'channel');
  }
}

/** Those whom the config names; where it names none, who verified the channel in the chat; else nobody. */
function mayDecide({ channel, account }: OpenChannel, userId: string | null): boolean {
  if (userId === null) return false;
  const { approvers } = account.config;
  return Array.isArray(approvers) ? approvers.includes(userId) : userId === channel.verified_by;
}

function nameOf({ channel }: OpenChannel, { user_id, user_name }: ChannelMessage): string {
  const id = `${channel.channel_type}:${user_id}`;
  return user_name === null ? id : `${id} (${user_name})`;
}
