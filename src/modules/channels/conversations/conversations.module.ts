import { Module } from '@nestjs/common';
import { QueueModule } from '../../../queue/queue.module.js';
import { ApprovalsModule } from '../../approvals/approvals.module.js';
import { HooksModule } from '../../hooks/hooks.module.js';
import { RunnersModule } from '../../runners/runners.module.js';
import { ThreadsModule } from '../../threads/threads.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { PlatformsModule } from '../platforms/platforms.module.js';
import { ButtonActions } from './approvals/button-actions.service.js';
import { ChatPostsService } from './chat-posts.service.js';
import { ChatApprovalsRepository } from './approvals/chat-approvals.repository.js';
import { ChatApprovalsService } from './approvals/chat-approvals.service.js';
import { ChatDecisions } from './approvals/chat-decisions.service.js';
import { ChatQuestions } from './approvals/chat-questions.js';
import { HookQuestionsService } from './approvals/hook-questions.service.js';
import { TypedAnswers } from './approvals/typed-answers.service.js';
import { AgentInvoker } from './dispatch/agent-invoker.js';
import { DispatchRepository } from './dispatch/dispatch.repository.js';
import { DispatcherService } from './dispatch/dispatcher.service.js';
import { HeartbeatWakesService } from './dispatch/heartbeat-wakes.service.js';
import { ReplyFinderService } from './dispatch/reply-finder.service.js';
import { RetriedRunsService } from './dispatch/retried-runs.service.js';
import { RunFollowerService } from './dispatch/run-follower.service.js';
import { RunProgressTimeout } from './dispatch/run-progress-timeout.js';
import { RunStarterService } from './dispatch/run-starter.service.js';
import { SessionLanes } from './dispatch/session-lanes.js';
import { ThreadWakesService } from './dispatch/thread-wakes.service.js';
import { TypingService } from './dispatch/typing.service.js';
import { ChatDeliveryService } from './outbox/chat-delivery.service.js';
import { ChatLanes } from './outbox/chat-lanes.js';
import { ChatSenderService } from './outbox/chat-sender.service.js';
import { ChatWorkService } from './outbox/chat-work.service.js';
import { OutboxOutcomesService } from './outbox/outbox-outcomes.service.js';
import { OutboxRepository } from './outbox/outbox.repository.js';
import { OutboxService } from './outbox/outbox.service.js';
import { SendPace } from './outbox/send-pace.js';

/** Messages to agents, answers to chats, and decisions about tool calls by buttons. */
@Module({
  imports: [
    ...[QueueModule, PlatformsModule, AccountsModule, MessagesModule, AttachmentsModule],
    ...[ThreadsModule, ApprovalsModule, RunnersModule, HooksModule],
  ],
  providers: [
    ...[OutboxService, ChatLanes, ChatWorkService, ChatDeliveryService, ChatSenderService, SendPace],
    ...[OutboxOutcomesService, OutboxRepository],
    ...[ChatApprovalsRepository, ChatApprovalsService, ChatQuestions, ButtonActions, HookQuestionsService],
    ...[ChatDecisions, TypedAnswers],
    ...[DispatcherService, SessionLanes, RunStarterService, RunFollowerService, RunProgressTimeout, AgentInvoker],
    ReplyFinderService,
    ...[TypingService, ThreadWakesService, HeartbeatWakesService, RetriedRunsService],
    ...[DispatchRepository, ChatPostsService],
  ],
  exports: [ChatPostsService],
})
export class ConversationsModule {}
