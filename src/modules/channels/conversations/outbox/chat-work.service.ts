import { Injectable } from '@nestjs/common';
import { ButtonActions } from '../approvals/button-actions.service.js';
import { ChatQuestions } from '../approvals/chat-questions.js';
import { TypedAnswers } from '../approvals/typed-answers.service.js';
import { ChannelAccountsService } from '../../accounts/channel-accounts.service.js';
import { ChatDeliveryService } from './chat-delivery.service.js';
import { ChatLanes, type ChatLane } from './chat-lanes.js';

/** Until somebody repairs the channel. */
const UNUSABLE_MS = 60_000;

/** Does what a chat needs next: handles presses and answers, and sends its next message. */
@Injectable()
export class ChatWorkService {
  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly buttons: ButtonActions,
    private readonly answers: TypedAnswers,
    private readonly questions: ChatQuestions,
    private readonly delivery: ChatDeliveryService,
    private readonly lanes: ChatLanes,
  ) {}

  /** @returns when to look at the chat next; null for when there is something new */
  async work(lane: ChatLane, stop: AbortSignal): Promise<number | null> {
    const nextMs = await this.workOnce(lane, stop);
    await this.questions.noteLost(lane.row.lostQuestionsOf);
    return nextMs;
  }

  private async workOnce(lane: ChatLane, stop: AbortSignal): Promise<number | null> {
    const open = await this.accounts.findUsable(lane.row.channel_id);
    if (open === null) return this.lanes.settle(lane, UNUSABLE_MS);
    const arePressesLeft = await this.buttons.handleWaiting(open, lane.row.chat_id);
    const areAnswersLeft = await this.answers.handleWaiting(open, lane.row.chat_id);
    if (arePressesLeft || areAnswersLeft) return this.lanes.settle(lane, 0); // at once: the platform's pause is for messages only
    return this.delivery.deliverNext(lane, open, stop);
  }
}
