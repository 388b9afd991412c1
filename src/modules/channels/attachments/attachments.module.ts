import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { ThreadsModule } from '../../threads/threads.module.js';
import { AttachmentBytesRepository } from './attachment-bytes.repository.js';
import { AttachmentCleanupService } from './attachment-cleanup.service.js';
import { AttachmentUploadsService } from './attachment-uploads.service.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsService } from './attachments.service.js';

/** The files that came with messages, for their agents, and those that agents send. */
@Module({
  imports: [AccountsModule, MessagesModule, ThreadsModule],
  controllers: [AttachmentsController],
  providers: [AttachmentsService, AttachmentBytesRepository, AttachmentUploadsService, AttachmentCleanupService],
  exports: [AttachmentBytesRepository],
})
export class AttachmentsModule {}
