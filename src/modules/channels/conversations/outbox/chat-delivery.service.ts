import { Injectable } from '@nestjs/common';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { OutboundMessage } from '../../platforms/outbound-message.js';
import { ChatApprovalsRepository } from '../approvals/chat-approvals.repository.js';
import type { EditPayload, QuestionPayload } from '../approvals/question-draft.js';
import { ChatLanes, type ChatLane, type ChatTurn } from './chat-lanes.js';
import { ChatSenderService } from './chat-sender.service.js';
import { OutboxOutcomesService } from './outbox-outcomes.service.js';
import { OutboxRepository } from './outbox.repository.js';

/** Sends the messages of a chat in their order. Commits `sending` before each call, so that no message goes out twice. */
@Injectable()
export class ChatDeliveryService {
  constructor(
    private readonly lanes: ChatLanes,
    private readonly repository: OutboxRepository,
    private readonly questions: ChatApprovalsRepository,
    private readonly sender: ChatSenderService,
    private readonly outcomes: OutboxOutcomesService,
  ) {}

  /** @returns when to look at the chat next, null for when there is something new */
  async deliverNext(lane: ChatLane, open: OpenChannel, stop: AbortSignal): Promise<number | null> {
    const message = await this.repository.findNext(lane.row);
    if (message === null) return this.lanes.settle(lane, 0);
    const obstacle = await this.obstacleTo(lane, open);
    if (obstacle !== null) return this.outcomes.failAll(lane, obstacle);
    const turn = { lane, message, open };
    const content = await this.contentOf(message);
    if (content === null) return this.outcomes.fail(turn, 'it is not known that the message to change was sent');
    const waitMs = await this.sender.awaitTurn(open, lane.row.chat_id, stop);
    if (waitMs > 0) return this.lanes.settle(lane, waitMs);
    return this.deliver(turn, content);
  }

  private async deliver({ lane, message, open }: ChatTurn, content: OutboundMessage): Promise<number | null> {
    const isTaken = await this.lanes.whileHeld(lane, (session, nowMs) =>
      this.repository.noteSending(session, message, nowMs),
    );
    if (isTaken === null) return null;
    if (!isTaken) return this.lanes.settle(lane, 0);
    const outcome = await this.sender.send(open, content);
    const tried = { ...message, attempts: message.attempts + 1 };
    return this.outcomes.note({ lane, message: tried, open }, outcome);
  }

  /** What the adapter sends; null for an edit of a message that may never have been sent. */
  private async contentOf(row: ChannelMessage): Promise<OutboundMessage | null> {
    const chat = { chatId: row.chat_id ?? '', topic: row.topic };
    const { text } = row;
    if (row.kind === 'text') return { kind: 'text', chat, text };
    const payload: unknown = JSON.parse(row.payload ?? '{}');
    if (row.kind === 'question') return { kind: 'question', chat, text, buttons: (payload as QuestionPayload).buttons };
    const question = await this.questions.findQuestion(row.channel_id, (payload as EditPayload).question_id);
    const messageId = question?.external_id ?? null;
    return messageId === null ? null : { kind: 'edit', chat, messageId, text };
  }

  private async obstacleTo({ row }: ChatLane, { channel }: OpenChannel): Promise<string | null> {
    if (!channel.enabled) return 'the channel is disabled';
    return this.repository.closedReason(row);
  }
}
