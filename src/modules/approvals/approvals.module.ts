import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsExpiryService } from './approvals-expiry.service.js';
import { ApprovalsLookupService } from './approvals-lookup.service.js';
import { ApprovalsMetricsService } from './approvals-metrics.service.js';
import { ApprovalsRecorder } from './approvals.recorder.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalsStreamService } from './approvals-stream.service.js';

/** Tool calls that wait for a person: who decides, what was decided, and what nobody can decide any more. */
@Module({
  imports: [ThreadsModule],
  controllers: [ApprovalsController],
  providers: [
    ApprovalsRepository,
    ApprovalsService,
    ApprovalsLookupService,
    ApprovalsRecorder,
    ApprovalsExpiryService,
    ApprovalsStreamService,
    ApprovalsMetricsService,
  ],
  exports: [ApprovalsService, ApprovalsLookupService, ApprovalsStreamService],
})
export class ApprovalsModule {}
