import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { ThreadDeletionRepository } from './thread-deletion.repository.js';
import { ThreadCleanupService } from './thread-cleanup.service.js';
import { ThreadDeletionService } from './thread-deletion.service.js';

@Module({
  imports: [JournalModule],
  providers: [ThreadDeletionRepository, ThreadCleanupService, ThreadDeletionService],
  exports: [ThreadDeletionService, ThreadCleanupService],
})
export class DeletionModule {}
