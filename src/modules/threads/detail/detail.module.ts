import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module.js';
import { FlagsModule } from '../flags/flags.module.js';
import { LogsModule } from '../logs/logs.module.js';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { ThreadDetailRepository } from './thread-detail.repository.js';
import { ThreadDetailService } from './thread-detail.service.js';

@Module({
  imports: [CheckpointsModule, FlagsModule, LogsModule, MessageLogModule],
  providers: [ThreadDetailRepository, ThreadDetailService],
  exports: [ThreadDetailService],
})
export class DetailModule {}
