import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import type { ApprovalIdentity } from '../../../approvals/approvals-lookup.service.js';
import { HookChatsService, type ChatAsker, type HookChat } from '../../../hooks/hook-chats.service.js';
import { ChatPostsService } from '../chat-posts.service.js';

/** Asks in a chat about a coding agent's actions. */
@Injectable()
export class HookQuestionsService implements ChatAsker, OnModuleInit {
  constructor(
    private readonly chats: HookChatsService,
    private readonly posts: ChatPostsService,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.chats.setAsker(this);
  }

  mayAsk(chat: HookChat, agentId: string): Promise<boolean> {
    return this.posts.mayAsk(chat, agentId);
  }

  async ask(
    chat: HookChat,
    agentId: string,
    { threadId, traceId }: Pick<ApprovalIdentity, 'threadId' | 'traceId'>,
  ): Promise<void> {
    const post = await this.posts.question({ ...chat, topic: null }, { agentId, threadId, traceId });
    if (post === null) return;
    await this.group.run((session) => post(session, this.clock.nowMs()));
    this.work.notify();
  }
}
