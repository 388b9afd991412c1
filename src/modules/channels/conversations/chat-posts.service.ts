import { Injectable } from '@nestjs/common';
import type { SqlSession } from '../../../database/database.js';
import { ApprovalsLookupService } from '../../approvals/approvals-lookup.service.js';
import { ChannelAccountsService, type OpenChannel } from '../accounts/channel-accounts.service.js';
import { OutboxQueueRepository } from '../messages/outbox-queue.repository.js';
import { splitText } from '../platforms/text-splitter.js';
import { approversOf } from './approvals/approvers.js';
import { ChatApprovalsRepository } from './approvals/chat-approvals.repository.js';
import { ChatQuestions } from './approvals/chat-questions.js';
import { chatKeyOf, draftOf, questionKey } from './approvals/question-draft.js';

/** A chat for posts that no message there caused. */
export interface PostPlace {
  channelId: string;
  chatId: string;
  topic: string | null;
}

/** What a post is about; its thread does not become a conversation of the chat. */
export interface PostSubject {
  agentId: string | null;
  threadId: string | null;
  traceId: string | null;
}

/** Queues a post in the caller's transaction; the caller wakes the workers after the commit. Repeating it changes nothing. */
export type QueuePost = (session: SqlSession, nowMs: number) => Promise<void>;

/** Posts to chats for other features. */
@Injectable()
export class ChatPostsService {
  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly approvals: ApprovalsLookupService,
    private readonly repository: ChatApprovalsRepository,
    private readonly questions: ChatQuestions,
    private readonly queue: OutboxQueueRepository,
  ) {}

  /** Whether the channel is enabled and verified, and somebody has written to the bot in the chat. */
  async mayPost({ channelId, chatId }: PostPlace): Promise<boolean> {
    if (`${channelId}${chatId}`.includes('\0')) return false;
    return (await this.usable(channelId)) !== null && this.repository.hasAnybodyWritten(channelId, chatId);
  }

  /** Whether the thread is a conversation in this chat, which is told about its runs anyway. */
  isConversation({ channelId, chatId }: PostPlace, threadId: string): Promise<boolean> {
    return this.repository.isConversation(channelId, chatId, threadId);
  }

  /**
   * Splits a text into as many messages as the platform needs. Null if the channel is not enabled or verified.
   * @param key of the post within its channel
   */
  async text(
    { channelId, ...chat }: PostPlace,
    key: string,
    text: string,
    about: PostSubject,
  ): Promise<QueuePost | null> {
    const open = await this.usable(channelId);
    if (open === null) return null;
    const parts = splitText(text, open.adapter.maxTextLength);
    const { agentId: agentName, threadId, traceId: runId } = about;
    return async (session, nowMs) => {
      if (!(await this.repository.holdChannel(session, channelId))) return;
      for (const [part, partText] of parts.entries()) {
        const draft = {
          channelId,
          chat,
          kind: 'text' as const,
          dedupKey: `${key}:${part}`,
          text: partText,
          payload: null,
        };
        await this.queue.enqueue(session, { ...draft, agentName, threadId, runId }, nowMs);
      }
    };
  }

  /** Whether the channel is enabled and verified, the agent is bound to it, and an approver has written in the chat. */
  async mayAsk(chat: Omit<PostPlace, 'topic'>, agentId: string): Promise<boolean> {
    return (await this.askable(chat, agentId)) !== null;
  }

  /**
   * The question about a run's waiting tool calls, with buttons; its thread becomes a session of the channel, which shows the outcome. Null
   * unless `mayAsk`.
   */
  async question(
    place: PostPlace,
    about: { agentId: string; threadId: string; traceId: string },
  ): Promise<QueuePost | null> {
    const { channelId, chatId, topic } = place;
    const { agentId, threadId, traceId } = about;
    const open = await this.askable(place, agentId);
    if (open === null) return null;
    const approval = (await this.approvals.pendingOf(threadId)).find((one) => one.traceId === traceId);
    if (!approval) return async () => undefined; // already decided
    const ids = {
      channel_id: channelId,
      chat_id: chatId,
      topic,
      agent_name: agentId,
      thread_id: threadId,
      run_id: traceId,
    };
    const draft = draftOf(approval, open.adapter, questionKey(approval, chatKeyOf(ids)));
    return async (session) => void (await this.questions.askWithin(session, ids, draft));
  }

  /** The channel; null unless `mayAsk`. */
  private async askable({ channelId, chatId }: Omit<PostPlace, 'topic'>, agentId: string): Promise<OpenChannel | null> {
    if (`${channelId}${chatId}`.includes('\0')) return null;
    const open = await this.usable(channelId);
    if (open === null || !(await this.repository.isBound(channelId, agentId))) return null;
    const approvers = approversOf(open);
    const isKnown = approvers.length > 0 && (await this.repository.haveWritten(channelId, chatId, approvers));
    return isKnown ? open : null;
  }

  private async usable(channelId: string): Promise<OpenChannel | null> {
    const open = await this.accounts.findUsable(channelId);
    return open?.channel.enabled && open.channel.verified ? open : null;
  }
}
