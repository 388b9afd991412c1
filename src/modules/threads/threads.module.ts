import { Module } from '@nestjs/common';
import { JournalRepository } from './journal/journal.repository.js';
import { JournalWriter } from './journal/journal-writer.js';
import { RunLoader } from './journal/run-loader.js';
import { ThreadJournal } from './journal/thread-journal.service.js';
import { LatestCheckpointService } from './reading/latest-checkpoint.service.js';
import { LatestRepository } from './reading/latest.repository.js';
import { ListTextsRepository } from './reading/list-texts.repository.js';
import { ThreadRecordingService } from './thread-recording.service.js';
import { WaitingCallsService } from './waiting-calls.service.js';

/** Threads, their runs and checkpoints: recording, reading, deletion. */
@Module({
  providers: [
    JournalRepository,
    JournalWriter,
    RunLoader,
    ThreadJournal,
    ThreadRecordingService,
    WaitingCallsService,
    LatestRepository,
    ListTextsRepository,
    LatestCheckpointService,
  ],
  exports: [WaitingCallsService, ThreadJournal, ThreadRecordingService, LatestCheckpointService],
})
export class ThreadsModule {}
