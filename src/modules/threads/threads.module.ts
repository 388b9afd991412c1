import { Module } from '@nestjs/common';
import { ServerThreadsService } from './bindings/server-threads.service.js';
import { JournalRepository } from './journal/journal.repository.js';
import { JournalWriter } from './journal/journal-writer.js';
import { RunLoader } from './journal/run-loader.js';
import { ThreadJournal } from './journal/thread-journal.service.js';
import { LatestCheckpointService } from './reading/latest-checkpoint.service.js';
import { LatestRepository } from './reading/latest.repository.js';
import { ListTextsRepository } from './reading/list-texts.repository.js';
import { VisibleLatest } from './reading/visible-latest.js';
import { ThreadDeletionService } from './thread-deletion.service.js';
import { ThreadRecordingService } from './thread-recording.service.js';
import { ThreadsController } from './threads.controller.js';
import { READING_PROVIDERS } from './threads.providers.js';
import { ThreadTurnsService } from './turns/thread-turns.service.js';
import { PendingToolCallsService } from './pending-tool-calls.service.js';

/** Threads, their runs and checkpoints: recording, reading, deletion. */
@Module({
  controllers: [ThreadsController],
  providers: [
    JournalRepository,
    JournalWriter,
    RunLoader,
    ThreadJournal,
    ServerThreadsService,
    ThreadRecordingService,
    PendingToolCallsService,
    LatestRepository,
    ListTextsRepository,
    VisibleLatest,
    LatestCheckpointService,
    ...READING_PROVIDERS,
  ],
  exports: [
    ServerThreadsService,
    PendingToolCallsService,
    ThreadJournal,
    ThreadRecordingService,
    LatestCheckpointService,
    ThreadDeletionService,
    ThreadTurnsService,
  ],
})
export class ThreadsModule {}
