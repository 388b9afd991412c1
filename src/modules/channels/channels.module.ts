import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { RunnersModule } from '../runners/runners.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ChannelAccountsService } from './channel-accounts.service.js';
import { ChannelAdapters } from './channel-adapters.js';
import { ChannelAgentsRepository } from './channel-agents.repository.js';
import { ChannelAgentsService } from './channel-agents.service.js';
import { ChannelSetup } from './channel-setup.js';
import { ChannelSetupController } from './channel-setup.controller.js';
import { ChannelVault } from './channel-vault.js';
import { ChannelWork } from './channel-work.js';
import { ChannelsController } from './channels.controller.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { ChatApprovalsRepository } from './chat-approvals/chat-approvals.repository.js';
import { ChatApprovalsService } from './chat-approvals/chat-approvals.service.js';
import { ChatPresses } from './chat-approvals/chat-presses.js';
import { ChatQuestions } from './chat-approvals/chat-questions.js';
import { PressesService } from './chat-approvals/presses.service.js';
import { DISPATCH_PROVIDERS } from './dispatch/dispatch.providers.js';
import { ChannelMessagesRepository } from './log/channel-messages.repository.js';
import { ChannelMessagesService } from './log/channel-messages.service.js';
import { ChannelsRetentionService } from './log/channels-retention.service.js';
import { OUTBOX_PROVIDERS } from './outbox/outbox.providers.js';
import { PollerTools } from './polling/poller-tools.js';
import { PollingTimes } from './polling/polling-times.js';
import { PollingRepository } from './polling/polling.repository.js';
import { PollingService } from './polling/polling.service.js';
import { DeliveryFailuresRepository } from './receiver/delivery-failures.repository.js';
import { FailedProofs } from './receiver/failed-proofs.js';
import { InboxRepository } from './receiver/inbox.repository.js';
import { InboxService } from './receiver/inbox.service.js';
import { InboxWriter } from './receiver/inbox-writer.js';
import { ReceiverController } from './receiver/receiver.controller.js';
import { ReceiverGate } from './receiver/receiver-gate.js';
import { ReceiverService } from './receiver/receiver.service.js';
import { WebhookReader } from './receiver/webhook-reader.js';
import { AccountRegistrationService } from './setup/account-registration.service.js';
import { WebhookSetupService } from './setup/webhook-setup.service.js';
import { ChannelVerificationService } from './verification/channel-verification.service.js';
import { CodeTriesRepository } from './verification/code-tries.repository.js';

const ACCOUNTS = [ChannelsRepository, ChannelAgentsRepository, ChannelVault, ChannelAdapters, ChannelAccountsService];
const SETTING_UP = [
  ...[ChannelSetup, ChannelsService, ChannelAgentsService, ChannelVerificationService, CodeTriesRepository],
  ...[AccountRegistrationService, WebhookSetupService],
];
const RECEIVING = [
  ...[ReceiverService, ReceiverGate, WebhookReader, FailedProofs, InboxService, InboxWriter, InboxRepository],
  DeliveryFailuresRepository,
];
const POLLING = [PollingRepository, PollingTimes, PollerTools, PollingService];
const SENDING = [
  ...OUTBOX_PROVIDERS,
  ...[ChatApprovalsRepository, ChatApprovalsService, ChatQuestions, ChatPresses, PressesService],
  ...DISPATCH_PROVIDERS,
];
const LOG = [ChannelMessagesRepository, ChannelMessagesService, ChannelsRetentionService];

/** Accounts of messaging platforms: people talk to agents through them. */
@Module({
  imports: [ThreadsModule, ApprovalsModule, RunnersModule],
  // The receiver comes first: `webhook` is no id of a channel.
  controllers: [ReceiverController, ChannelsController, ChannelSetupController],
  providers: [ChannelWork, ...ACCOUNTS, ...SETTING_UP, ...RECEIVING, ...POLLING, ...SENDING, ...LOG],
})
export class ChannelsModule {}
