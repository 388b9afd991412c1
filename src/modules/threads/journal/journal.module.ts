import { Module } from '@nestjs/common';
import { BindingsModule } from '../bindings/bindings.module.js';
import { LeasesModule } from '../leases/leases.module.js';
import { RunLeasesService } from './run-leases.service.js';
import { RunRetryRecordingService } from './run-retry-recording.service.js';
import { RunCancellationService } from './run-cancellation.service.js';
import { JournalRepository } from './store/journal.repository.js';
import { LastListsRepository } from './store/last-lists.repository.js';
import { JournalParticipants } from './store/journal-participants.service.js';
import { JournalWriter } from './store/journal-writer.js';
import { ThreadJournal } from './thread-journal.service.js';
import { ThreadRecordingService } from './thread-recording.service.js';
import { PendingToolCallsService } from './pending-tool-calls.service.js';
import { ThreadRunsService } from './thread-runs.service.js';

@Module({
  imports: [BindingsModule, LeasesModule],
  providers: [
    JournalRepository,
    LastListsRepository,
    JournalWriter,
    JournalParticipants,
    ThreadJournal,
    ThreadRecordingService,
    PendingToolCallsService,
    RunCancellationService,
    RunRetryRecordingService,
    ThreadRunsService,
    RunLeasesService,
  ],
  exports: [
    JournalRepository,
    JournalParticipants,
    ThreadJournal,
    ThreadRecordingService,
    PendingToolCallsService,
    RunCancellationService,
    RunRetryRecordingService,
    ThreadRunsService,
    RunLeasesService,
  ],
})
export class JournalModule {}
