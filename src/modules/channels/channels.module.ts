import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { PlatformsModule } from './platforms/platforms.module.js';

/** Accounts of messaging platforms: people talk to agents through them. */
@Module({
  // The inbox comes first, with the receiver: `webhook` is no id of a channel.
  imports: [InboxModule, PlatformsModule, AccountsModule, MessagesModule, AttachmentsModule, ConversationsModule],
  exports: [AccountsModule, ConversationsModule],
})
export class ChannelsModule {}
