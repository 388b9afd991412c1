import { Injectable } from '@nestjs/common';
import { AttachmentBytesRepository } from '../../attachments/attachment-bytes.repository.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { FilePayload } from '../../messages/file-message.js';
import type { ChatAddress, OutboundMessage } from '../../platforms/outbound-message.js';
import { ChatApprovalsRepository } from '../approvals/chat-approvals.repository.js';
import type { EditPayload, QuestionPayload } from '../approvals/question-draft.js';
import { ChatLanes, type ChatLane, type ChatTurn } from './chat-lanes.js';
import { ChatSenderService } from './chat-sender.service.js';
import { OutboxOutcomesService } from './outbox-outcomes.service.js';
import { OutboxRepository } from './outbox.repository.js';

/** Sends a chat's messages in order. Commits `sending` before each call that people see, so that no message goes out twice. */
@Injectable()
export class ChatDeliveryService {
  constructor(
    private readonly lanes: ChatLanes,
    private readonly repository: OutboxRepository,
    private readonly questions: ChatApprovalsRepository,
    private readonly files: AttachmentBytesRepository,
    private readonly sender: ChatSenderService,
    private readonly outcomes: OutboxOutcomesService,
  ) {}

  /** @returns when to look at the chat next; null for when there is something new */
  async deliverNext(lane: ChatLane, open: OpenChannel, stop: AbortSignal): Promise<number | null> {
    const message = await this.repository.findNext(lane.row);
    if (message === null) return this.lanes.settle(lane, 0);
    const obstacle = await this.obstacleTo(lane, open);
    if (obstacle !== null) return this.outcomes.failAll(lane, obstacle);
    const turn = { lane, message, open };
    const content = await this.contentOf(message);
    if (typeof content === 'string') return this.outcomes.fail(turn, content);
    const waitMs = await this.sender.awaitTurn(open, lane.row.chat_id, stop);
    if (waitMs > 0) return this.lanes.settle(lane, waitMs);
    return this.deliver(turn, content, stop);
  }

  private async deliver(
    { lane, message, open }: ChatTurn,
    content: OutboundMessage,
    stop: AbortSignal,
  ): Promise<number | null> {
    // Nobody sees an upload, so it may be repeated: it comes before the commit.
    const ready = content.kind === 'file' ? await this.sender.upload(open, content, stop) : content;
    const isTaken = await this.lanes.whileHeld(lane, (session, nowMs) =>
      this.repository.noteSending(session, message, nowMs),
    );
    if (isTaken === null) return null;
    if (!isTaken) return this.lanes.settle(lane, 0);
    const outcome = 'chat' in ready ? await this.sender.send(open, ready, stop) : ready;
    const tried = { ...message, attempts: message.attempts + 1 };
    return this.outcomes.note({ lane, message: tried, open }, outcome);
  }

  /** What the adapter sends, or why there is nothing to send. */
  private async contentOf(row: ChannelMessage): Promise<OutboundMessage | string> {
    const chat = { chatId: row.chat_id ?? '', topic: row.topic };
    const { text } = row;
    if (row.kind === 'text') return { kind: 'text', chat, text };
    const payload: unknown = JSON.parse(row.payload ?? '{}');
    if (row.kind === 'file') return this.fileOf(row, chat, payload as FilePayload);
    if (row.kind === 'question') {
      const { buttons } = payload as QuestionPayload;
      return buttons.length === 0 ? { kind: 'text', chat, text } : { kind: 'question', chat, text, buttons };
    }
    const question = await this.questions.findQuestion(row.channel_id, (payload as EditPayload).question_id);
    const messageId = question?.external_id ?? null;
    if (messageId === null) return 'it is not known that the message to change was sent';
    return { kind: 'edit', chat, messageId, text };
  }

  private async fileOf(
    { thread_id, text: caption }: ChannelMessage,
    chat: ChatAddress,
    { digest, name, media_type: mediaType }: FilePayload,
  ): Promise<OutboundMessage | string> {
    const file = await this.files.find(thread_id ?? '', digest);
    if (file === null) return 'the server does not have the file, or has it no more';
    const { sizeBytes } = file;
    const bytes = () => this.files.bytesOf(file);
    return { kind: 'file', chat, caption, name, mediaType, sizeBytes, bytes, uploadId: null };
  }

  private async obstacleTo({ row }: ChatLane, { channel }: OpenChannel): Promise<string | null> {
    if (!channel.enabled) return 'the channel is disabled';
    return this.repository.closedReason(row);
  }
}
