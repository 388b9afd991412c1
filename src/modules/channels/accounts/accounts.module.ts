import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../../database/typeorm.module.js';
import { PlatformsModule } from '../platforms/platforms.module.js';
import { Channel } from './channel.entity.js';
import { ChannelAccountsService } from './channel-accounts.service.js';
import { ChannelAgent } from './channel-agent.entity.js';
import { ChannelAgentsRepository } from './channel-agents.repository.js';
import { ChannelAgentsService } from './channel-agents.service.js';
import { ChannelMapper } from './channel-mapper.js';
import { ChannelSetupController } from './channel-setup.controller.js';
import { ChannelVault } from './channel-vault.js';
import { ChannelsController } from './channels.controller.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { WebhookSetupService } from './webhook-setup.service.js';
import { PlatformsController } from './platforms.controller.js';
import { ChannelVerificationService } from './verification/channel-verification.service.js';
import { CodeTriesRepository } from './verification/code-tries.repository.js';

/** Channels and the agents bound to them: their config and secrets, verification, webhooks. */
@Module({
  imports: [PlatformsModule, TypeOrmModule.forFeature([Channel, ChannelAgent])],
  // Before the routes with an id in the same place.
  controllers: [PlatformsController, ChannelsController, ChannelSetupController],
  providers: [
    ...[ChannelsRepository, ChannelAgentsRepository, ChannelVault, ChannelAccountsService],
    ...[ChannelMapper, ChannelsService, ChannelAgentsService, ChannelVerificationService, CodeTriesRepository],
    WebhookSetupService,
  ],
  exports: [
    ...[ChannelsRepository, ChannelAgentsRepository, ChannelVault, ChannelAccountsService],
    ...[ChannelsService, ChannelAgentsService, ChannelVerificationService, CodeTriesRepository],
  ],
})
export class AccountsModule {}
