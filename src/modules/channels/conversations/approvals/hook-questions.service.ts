import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import { ApprovalsLookupService, type ApprovalIdentity } from '../../../approvals/approvals-lookup.service.js';
import { HookChatsService, type ChatAsker, type HookChat } from '../../../hooks/hook-chats.service.js';
import { ChannelAccountsService } from '../../accounts/channel-accounts.service.js';
import { approversOf } from './approvers.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';
import { ChatQuestions } from './chat-questions.js';
import { chatKeyOf, draftOf, questionKey } from './question-draft.js';

/** Asks in a chat about a coding agent's actions. Its thread becomes a session of the channel, which shows the outcome. */
@Injectable()
export class HookQuestionsService implements ChatAsker, OnModuleInit {
  constructor(
    private readonly chats: HookChatsService,
    private readonly accounts: ChannelAccountsService,
    private readonly approvals: ApprovalsLookupService,
    private readonly repository: ChatApprovalsRepository,
    private readonly questions: ChatQuestions,
    private readonly work: WakeSignal,
  ) {}

  onModuleInit(): void {
    this.chats.setAsker(this);
  }

  async mayAsk({ channelId, chatId }: HookChat, agentId: string): Promise<boolean> {
    if (`${channelId}${chatId}`.includes('\0')) return false;
    if (!(await this.repository.isBound(channelId, agentId))) return false;
    const open = await this.accounts.findUsable(channelId);
    if (!open?.channel.enabled || !open.channel.verified) return false;
    const approvers = approversOf(open);
    return approvers.length > 0 && this.repository.haveWritten(channelId, chatId, approvers);
  }

  async ask(
    { channelId, chatId }: HookChat,
    agentId: string,
    { threadId, traceId }: Pick<ApprovalIdentity, 'threadId' | 'traceId'>,
  ): Promise<void> {
    const open = await this.accounts.findUsable(channelId);
    const approval = (await this.approvals.pendingOf(threadId)).find((one) => one.traceId === traceId);
    if (!open || !approval) return;
    const place = { channel_id: channelId, chat_id: chatId, topic: null, agent_name: agentId };
    const draft = draftOf(approval, open.adapter, questionKey(approval, chatKeyOf(place)));
    const isAsked = await this.questions.askForThread({ ...place, thread_id: threadId, run_id: traceId }, draft);
    if (isAsked) this.work.notify();
  }
}
