import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { randomText } from '../../common/ids.js';
import { GroupCommit } from '../../queue/group-commit.js';
import { WakeSignal } from '../../queue/wake-signal.js';
import { bodyOf } from './notice-news.js';
import type { Notice } from './notice.entity.js';
import { noticeNotFound } from './notices.errors.js';
import { HEALTHY, NoticesRepository } from './notices.repository.js';
import { CHANNEL_UNUSABLE, NoticeCallsService, POSTED, type CallOutcome } from './sending/notice-calls.service.js';
import { NoticeChatsService } from './sending/notice-chats.service.js';

export interface TestOutcome extends CallOutcome {
  ms: number;
}

@Injectable()
export class NoticeTestsService {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly calls: NoticeCallsService,
    private readonly chats: NoticeChatsService,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
  ) {}

  /** Calls the receiver or posts to the chat once, immediately, even for a disabled notice. @throws DomainError `not_found` */
  async test(id: string): Promise<TestOutcome> {
    const notice = await this.notices.find(id);
    if (notice === null) throw noticeNotFound();
    const nowMs = this.clock.nowMs();
    const body = bodyOf('test', nowMs, { notice_id: id, name: notice.name });
    const startedMs = performance.now();
    const test = { id: `msg_${randomText(16)}`, body };
    const outcome = notice.url === null ? await this.post(notice, test) : await this.call(notice, test);
    if (outcome.isDelivered) await this.notices.update(id, () => HEALTHY);
    return { ...outcome, ms: Math.round(performance.now() - startedMs) };
  }

  private call(notice: Notice, { id, body }: { id: string; body: string }): Promise<CallOutcome> {
    return this.calls.call(notice, id, body, new AbortController().signal);
  }

  private async post(notice: Notice, test: { id: string; body: string }): Promise<CallOutcome> {
    const post = await this.chats.postOf(notice, {
      ...test,
      type: 'test',
      agent_id: null,
      thread_id: null,
      trace_id: null,
    });
    if (post === null) return CHANNEL_UNUSABLE;
    await this.group.run((session) => post(session, this.clock.nowMs()));
    this.work.notify();
    return POSTED;
  }
}
