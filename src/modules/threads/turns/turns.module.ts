import { Module } from '@nestjs/common';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { ThreadTurnsRepository } from './thread-turns.repository.js';
import { ThreadTurnsService } from './thread-turns.service.js';

@Module({
  imports: [MessageLogModule],
  providers: [ThreadTurnsRepository, ThreadTurnsService],
  exports: [ThreadTurnsService],
})
export class TurnsModule {}
