import { Injectable } from '@nestjs/common';
import { ChatPostsService, type PostPlace, type QueuePost } from '../../channels/conversations/chat-posts.service.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { NoticeEvent } from '../notice-events.js';
import type { Notice } from '../notice.entity.js';
import { RunAnswersService } from './run-answers.service.js';
import { sentenceOf } from './notice-sentence.js';

/** A chat hears these of the runs that its messages start, with or without a notice. */
const TOLD_BY_CHANNEL: ReadonlySet<string> = new Set<NoticeEvent>([
  'approval_waiting',
  'run_completed',
  'run_failed',
  'run_budget_exceeded',
]);

/** What a chat message is made from. */
export type PostSubjectOf = Pick<NoticeDelivery, 'id' | 'type' | 'body' | 'agent_id' | 'thread_id' | 'trace_id'>;

/** Posts notices to chats: the outbox row and the delivery's outcome are one transaction. */
@Injectable()
export class NoticeChatsService {
  constructor(
    private readonly posts: ChatPostsService,
    private readonly answers: RunAnswersService,
  ) {}

  /** What to do in the transaction that stores the outcome; null if the channel does not work. */
  async postOf(notice: Notice, delivery: PostSubjectOf): Promise<QueuePost | null> {
    const { id, type, body, agent_id: agentId, thread_id: threadId, trace_id: traceId } = delivery;
    const place = placeOf(notice);
    const isTold = TOLD_BY_CHANNEL.has(type) && threadId !== null && (await this.posts.isConversation(place, threadId));
    if (isTold) return async () => undefined;
    if (type === 'approval_waiting' && agentId !== null && threadId !== null && traceId !== null) {
      const question = await this.posts.question(place, { agentId, threadId, traceId });
      if (question !== null) return question;
    }
    const answer = notice.include_answer ? await this.answers.find(delivery) : null;
    const text = answer ?? sentenceOf(type, body);
    return this.posts.text(place, `notice:${notice.id}:${id}`, text, { agentId, threadId, traceId });
  }
}

function placeOf({ channel_id, chat_id, topic }: Notice): PostPlace {
  return { channelId: channel_id ?? '', chatId: chat_id ?? '', topic };
}
