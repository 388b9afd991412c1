import { Injectable } from '@nestjs/common';
import { ChatApprovalsRepository } from '../approvals/chat-approvals.repository.js';
import type { EditPayload, QuestionPayload } from '../approvals/question-payload.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { OutboundMessage } from '../../platforms/outbound-message.js';

/** Turns rows of the outbox into what adapters send. */
@Injectable()
export class OutboundReader {
  constructor(private readonly questions: ChatApprovalsRepository) {}

  /** Null for the change of a message of which nobody knows that it was sent. */
  async read(row: ChannelMessage): Promise<OutboundMessage | null> {
    const chat = { chatId: row.chat_id ?? '', topic: row.topic };
    const { text } = row;
    if (row.kind === 'text') return { kind: 'text', chat, text };
    const payload: unknown = JSON.parse(row.payload ?? '{}');
    if (row.kind === 'question') return { kind: 'question', chat, text, buttons: (payload as QuestionPayload).buttons };
    const question = await this.questions.findQuestion(row.channel_id, (payload as EditPayload).question_id);
    const messageId = question?.external_id ?? null;
    return messageId === null ? null : { kind: 'edit', chat, messageId, text };
  }
}
