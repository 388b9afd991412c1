import { Module } from '@nestjs/common';
import { JournalModule } from '../journal/journal.module.js';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { ThreadCheckpointsRepository } from './thread-checkpoints.repository.js';
import { ThreadCheckpointsService } from './thread-checkpoints.service.js';
import { ThreadStepsRepository } from './thread-steps.repository.js';
import { ThreadStepsService } from './thread-steps.service.js';
import { LatestRepository } from './latest.repository.js';
import { VisibleLatest } from './visible-latest.js';
import { LatestCheckpointService } from './latest-checkpoint.service.js';

@Module({
  imports: [JournalModule, MessageLogModule],
  providers: [
    ThreadCheckpointsRepository,
    ThreadCheckpointsService,
    ThreadStepsRepository,
    ThreadStepsService,
    LatestRepository,
    VisibleLatest,
    LatestCheckpointService,
  ],
  exports: [ThreadCheckpointsRepository, ThreadCheckpointsService, ThreadStepsService, LatestCheckpointService],
})
export class CheckpointsModule {}
