import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { PlatformsModule } from './platforms/platforms.module.js';

/** Accounts on messaging platforms, through which people talk to agents. */
@Module({
  // The inbox comes first, with the receiver, so that `webhook` is not taken for a channel id.
  imports: [InboxModule, PlatformsModule, AccountsModule, MessagesModule, AttachmentsModule, ConversationsModule],
  exports: [AccountsModule, ConversationsModule],
})
export class ChannelsModule {}
