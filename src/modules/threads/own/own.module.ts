import { Module } from '@nestjs/common';
import { DeletionModule } from '../deletion/deletion.module.js';
import { SightModule } from '../sight/sight.module.js';
import { OwnThreadsRepository } from './own-threads.repository.js';
import { OwnThreadsService } from './own-threads.service.js';

/** Threads as agents' own tokens see them. */
@Module({
  imports: [SightModule, DeletionModule],
  providers: [OwnThreadsRepository, OwnThreadsService],
  exports: [OwnThreadsService],
})
export class OwnModule {}
