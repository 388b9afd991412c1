import { Module } from '@nestjs/common';
import { FlagsModule } from '../flags/flags.module.js';
import { VisibilityModule } from '../visibility/visibility.module.js';
import { ThreadChangesRepository } from './thread-changes.repository.js';
import { ThreadChangesService } from './thread-changes.service.js';
import { ThreadWatchService } from './thread-watch.service.js';

@Module({
  imports: [FlagsModule, VisibilityModule],
  providers: [ThreadChangesRepository, ThreadChangesService, ThreadWatchService],
  exports: [ThreadWatchService],
})
export class WatchModule {}
