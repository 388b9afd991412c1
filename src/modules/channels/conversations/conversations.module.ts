import { Module } from '@nestjs/common';
import { QueueModule } from '../../../queue/queue.module.js';
import { ApprovalsModule } from '../../approvals/approvals.module.js';
import { RunnersModule } from '../../runners/runners.module.js';
import { ThreadsModule } from '../../threads/threads.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { PlatformsModule } from '../platforms/platforms.module.js';
import { ButtonActions } from './approvals/button-actions.service.js';
import { ChatApprovalsRepository } from './approvals/chat-approvals.repository.js';
import { ChatApprovalsService } from './approvals/chat-approvals.service.js';
import { ChatQuestions } from './approvals/chat-questions.js';
import { DISPATCH_PROVIDERS } from './dispatch/dispatch.providers.js';
import { OUTBOX_PROVIDERS } from './outbox/outbox.providers.js';

/** Messages to agents, their answers to chats, and tool calls decided by buttons there. */
@Module({
  imports: [
    ...[QueueModule, PlatformsModule, AccountsModule, MessagesModule],
    ...[ThreadsModule, ApprovalsModule, RunnersModule],
  ],
  providers: [
    ...OUTBOX_PROVIDERS,
    ...[ChatApprovalsRepository, ChatApprovalsService, ChatQuestions, ButtonActions],
    ...DISPATCH_PROVIDERS,
  ],
})
export class ConversationsModule {}
