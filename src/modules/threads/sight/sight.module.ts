import { Module } from '@nestjs/common';
import { ThreadSight } from '../../../common/thread-sight.js';
import { ThreadSightRepository } from './thread-sight.repository.js';
import { ThreadSightService } from './thread-sight.service.js';

/** What readers see whose token is bound to agents. */
@Module({
  providers: [ThreadSightRepository, ThreadSightService, { provide: ThreadSight, useExisting: ThreadSightService }],
  exports: [ThreadSight, ThreadSightService],
})
export class SightModule {}
