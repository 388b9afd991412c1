import { Module } from '@nestjs/common';
import { LongPollService } from '../../database/long-poll.service.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { RunnersModule } from '../runners/runners.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { HookChatsService } from './hook-chats.service.js';
import { HooksController } from './hooks.controller.js';
import { HooksService } from './hooks.service.js';

/** Hooks of coding agents: their permission requests become approvals. */
@Module({
  imports: [ThreadsModule, ApprovalsModule, RunnersModule],
  controllers: [HooksController],
  providers: [HooksService, HookChatsService, LongPollService],
  exports: [HookChatsService],
})
export class HooksModule {}
