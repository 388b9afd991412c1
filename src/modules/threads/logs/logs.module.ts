import { Module } from '@nestjs/common';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { ThreadEventsRepository } from './thread-events.repository.js';
import { ThreadLogsService } from './thread-logs.service.js';

@Module({
  imports: [MessageLogModule],
  providers: [ThreadEventsRepository, ThreadLogsService],
  exports: [ThreadEventsRepository, ThreadLogsService],
})
export class LogsModule {}
