import { Injectable } from '@nestjs/common';
import { CallWatch } from '../../../queue/call-watch.js';
import type { QueuePost } from '../../channels/conversations/chat-posts.service.js';
import type { NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import type { Notice } from '../notice.entity.js';
import { CHANNEL_UNUSABLE, NoticeCallsService, POSTED, type CallOutcome } from './notice-calls.service.js';
import { NoticeChatsService } from './notice-chats.service.js';
import { RunAnswersService } from './run-answers.service.js';

/** The outcome of an attempt, and for a chat what to queue with it. */
export interface Attempt {
  outcome: CallOutcome;
  post: QueuePost | null;
}

@Injectable()
export class NoticeAttemptsService {
  /** By notice id. */
  readonly calls = new CallWatch();

  constructor(
    private readonly receivers: NoticeCallsService,
    private readonly chats: NoticeChatsService,
    private readonly answers: RunAnswersService,
  ) {}

  /** @throws the reason of `stop` */
  make(notice: Notice, delivery: NoticeDelivery, stop: AbortSignal): Promise<Attempt> {
    return notice.url === null ? this.post(notice, delivery) : this.call(notice, delivery, stop);
  }

  private async call(notice: Notice, delivery: NoticeDelivery, stop: AbortSignal): Promise<Attempt> {
    const body = await this.answers.bodyOf(notice, delivery);
    return {
      outcome: await this.calls.during(notice.id, () => this.receivers.call(notice, delivery.id, body, stop)),
      post: null,
    };
  }

  private async post(notice: Notice, delivery: NoticeDelivery): Promise<Attempt> {
    const post = await this.chats.postOf(notice, delivery);
    return { outcome: post === null ? CHANNEL_UNUSABLE : POSTED, post };
  }
}
