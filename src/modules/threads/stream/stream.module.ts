import { Module } from '@nestjs/common';
import { LogsModule } from '../logs/logs.module.js';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { LiveRepository } from './live.repository.js';
import { LiveEventBuilderFactory } from './live-event-builder.factory.js';
import { ThreadStreamService } from './thread-stream.service.js';

@Module({
  imports: [LogsModule, MessageLogModule],
  providers: [LiveRepository, LiveEventBuilderFactory, ThreadStreamService],
  exports: [ThreadStreamService],
})
export class StreamModule {}
