import { Injectable } from '@nestjs/common';
import { ChatQuestions } from '../approvals/chat-questions.js';
import { PressesService } from '../approvals/presses.service.js';
import { ChannelAccountsService } from '../../accounts/channel-accounts.service.js';
import { ChatDeliveryService } from './chat-delivery.service.js';
import { ChatLanes, type ChatLane } from './chat-lanes.js';

/** Until somebody sets the channel right. */
const UNUSABLE_MS = 60_000;

/** Does what a chat needs next: looks after presses of buttons, and sends its next message. */
@Injectable()
export class ChatWorkService {
  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly presses: PressesService,
    private readonly questions: ChatQuestions,
    private readonly delivery: ChatDeliveryService,
    private readonly lanes: ChatLanes,
  ) {}

  /** @returns when to look at the chat next, null for when there is something new */
  async work(lane: ChatLane, stop: AbortSignal): Promise<number | null> {
    const nextMs = await this.workOff(lane, stop);
    await this.questions.noteLost(lane.row.lostQuestionsOf);
    return nextMs;
  }

  private async workOff(lane: ChatLane, stop: AbortSignal): Promise<number | null> {
    const open = await this.accounts.findUsable(lane.row.channel_id);
    if (open === null) return this.lanes.settle(lane, UNUSABLE_MS);
    const isMore = await this.presses.workOff(open, lane.row.chat_id);
    if (isMore) return this.lanes.settle(lane, 0); // not after a pause that the platform asked of messages
    return this.delivery.deliverNext(lane, open, stop);
  }
}
