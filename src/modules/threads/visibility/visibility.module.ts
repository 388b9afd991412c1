import { Module } from '@nestjs/common';
import { ThreadVisibility } from '../../../common/thread-visibility.js';
import { ThreadVisibilityRepository } from './thread-visibility.repository.js';
import { ThreadVisibilityService } from './thread-visibility.service.js';

@Module({
  providers: [
    ThreadVisibilityRepository,
    ThreadVisibilityService,
    { provide: ThreadVisibility, useExisting: ThreadVisibilityService },
  ],
  exports: [ThreadVisibility, ThreadVisibilityService],
})
export class VisibilityModule {}
