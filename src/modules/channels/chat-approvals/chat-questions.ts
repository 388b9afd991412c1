import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { ChannelMessage } from '../entities/channel-message.entity.js';
import { OutboxQueueRepository } from '../outbox/outbox-queue.repository.js';
import { GroupCommit } from '../work/group-commit.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import type { EditPayload, QuestionPayload } from './question-payload.js';

/** A question that is to be asked. */
export interface QuestionDraft {
  id: string;
  dedupKey: string;
  text: string;
  payload: QuestionPayload;
}

/** The questions in chats, as rows of the outbox. */
@Injectable()
export class ChatQuestions {
  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly group: GroupCommit,
    private readonly clock: Clock,
  ) {}

  /** Those whose outcome was not told yet. */
  openOf(threadId: string): Promise<ChannelMessage[]> {
    return this.repository.openQuestions(threadId);
  }

  /**
   * Asks in the chat of the message that brought it about: once, and anew where that failed and somebody has written or set the channel
   * right since.
   * @returns whether there is something to send
   */
  async ask(message: ChannelMessage, { id, dedupKey, text, payload }: QuestionDraft): Promise<boolean> {
    const draft = {
      ...placeOf(message),
      id,
      kind: 'question' as const,
      dedupKey,
      text,
      payload: JSON.stringify(payload),
    };
    return this.group.run(async (session) => {
      if (!(await this.repository.holdChannel(session, message.channel_id))) return false;
      await this.repository.setFailedAside(session, message.channel_id, dedupKey);
      return this.queue.enqueue(session, draft, this.clock.nowMs());
    });
  }

  /** Takes the question back where nobody has seen it; else says in its place how it ended. */
  async tellOutcome(question: ChannelMessage, text: string): Promise<void> {
    const payload: EditPayload = { question_id: question.id };
    const dedupKey = `outcome:${question.id}`;
    const draft = { ...placeOf(question), kind: 'edit' as const, dedupKey, text, payload: JSON.stringify(payload) };
    await this.group.run(async (session) => {
      if (!(await this.repository.holdChannel(session, question.channel_id))) return;
      const nowMs = this.clock.nowMs();
      const reason = 'there is nothing to decide any more';
      if (!(await this.repository.takeBack(session, question, reason, nowMs))) {
        await this.queue.enqueue(session, draft, nowMs);
      }
    });
  }
}

function placeOf({ channel_id, chat_id, topic, agent_name, thread_id, run_id }: ChannelMessage) {
  return {
    channelId: channel_id,
    chat: { chatId: chat_id ?? '', topic },
    agentName: agent_name,
    threadId: thread_id,
    runId: run_id,
  };
}
