import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { ButtonActions } from '../approvals/button-actions.service.js';
import { ChatQuestions } from '../approvals/chat-questions.js';
import { TypedAnswers } from '../approvals/typed-answers.service.js';
import { ChannelAccountsService, type OpenChannel } from '../../accounts/channel-accounts.service.js';
import { ChatDeliveryService } from './chat-delivery.service.js';
import { ChatLanes, type ChatLane, type ChatRow } from './chat-lanes.js';

/** Until somebody repairs the channel. */
const UNUSABLE_MS = 60_000;

/** How often to look for presses and answers while a message is being sent. */
const LOOK_MS = 1_000;

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
    const isMoreLeft = await this.decide(open, lane.row.chat_id);
    if (isMoreLeft) return this.lanes.settle(lane, 0); // at once: the platform's pause is for messages only
    const over = new AbortController();
    const delivering = this.delivery.deliverNext(lane, open, stop).finally(() => over.abort());
    const [nextMs] = await Promise.all([delivering, this.decideMeanwhile(lane.row, over.signal)]);
    return nextMs;
  }

  /** Handles presses and answers while a message is being sent: a file may take minutes. */
  private async decideMeanwhile({ channel_id, chat_id }: ChatRow, over: AbortSignal): Promise<void> {
    while (await pause(LOOK_MS, true, { signal: over }).catch(() => false)) {
      try {
        const open = await this.accounts.findUsable(channel_id); // again: the approvers may have changed
        if (open !== null) await this.decide(open, chat_id);
      } catch {
        return; // what is left is handled after the message
      }
    }
  }

  /** Handles the next presses and answers. @returns whether more may wait */
  private async decide(open: OpenChannel, chatId: string): Promise<boolean> {
    const arePressesLeft = await this.buttons.handleWaiting(open, chatId);
    const areAnswersLeft = await this.answers.handleWaiting(open, chatId);
    return arePressesLeft || areAnswersLeft;
  }
}
