import { Module } from '@nestjs/common';
import { DeletionModule } from '../deletion/deletion.module.js';
import { FlagsModule } from '../flags/flags.module.js';
import { VisibilityModule } from '../visibility/visibility.module.js';
import { AgentThreadsRepository } from './agent-threads.repository.js';
import { AgentThreadsService } from './agent-threads.service.js';

/** Threads as agents' own tokens see them. */
@Module({
  imports: [FlagsModule, VisibilityModule, DeletionModule],
  providers: [AgentThreadsRepository, AgentThreadsService],
  exports: [AgentThreadsService],
})
export class AgentThreadsModule {}
