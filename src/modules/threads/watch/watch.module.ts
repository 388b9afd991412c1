import { Module } from '@nestjs/common';
import { SightModule } from '../sight/sight.module.js';
import { ThreadChangesRepository } from './thread-changes.repository.js';
import { ThreadChangesService } from './thread-changes.service.js';
import { ThreadWatchService } from './thread-watch.service.js';

/** The live stream of all threads. */
@Module({
  imports: [SightModule],
  providers: [ThreadChangesRepository, ThreadChangesService, ThreadWatchService],
  exports: [ThreadWatchService],
})
export class WatchModule {}
