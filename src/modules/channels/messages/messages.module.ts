import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../../database/typeorm.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChannelMessage } from './channel-message.entity.js';
import { ChannelMessagesController } from './channel-messages.controller.js';
import { ChannelMessagesRepository } from './channel-messages.repository.js';
import { ChannelMessagesService } from './channel-messages.service.js';
import { ChannelSession } from './channel-session.entity.js';
import { ChannelsRetentionService } from './channels-retention.service.js';
import { OutboxQueueRepository } from './outbox-queue.repository.js';

/** The message table: the log of inbound and outbound messages, and the queue of replies. */
@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([ChannelMessage, ChannelSession])],
  controllers: [ChannelMessagesController],
  providers: [ChannelMessagesRepository, ChannelMessagesService, ChannelsRetentionService, OutboxQueueRepository],
  exports: [ChannelMessagesRepository, OutboxQueueRepository],
})
export class MessagesModule {}
