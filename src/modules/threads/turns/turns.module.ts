import { Module } from '@nestjs/common';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { ThreadTurnsRepository } from './thread-turns.repository.js';
import { ThreadTurnsService } from './thread-turns.service.js';

/** The outcome of runs, for those who started them. */
@Module({
  imports: [MessageLogModule],
  providers: [ThreadTurnsRepository, ThreadTurnsService],
  exports: [ThreadTurnsService],
})
export class TurnsModule {}
