import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { JournalLoadGauge } from '../../common/journal-load-gauge.js';
import { RUN_STATUS } from '../../common/contract/run-status.js';
import { ThreadJournal } from './journal/thread-journal.service.js';
import { ThreadStreamService } from './stream/thread-stream.service.js';
import { ThreadWatchService } from './watch/thread-watch.service.js';
import { ThreadListService } from './list/thread-list.service.js';

/** Statuses of threads that may need attention. All others are free text, and their counts only grow. */
const WATCHED = [RUN_STATUS.inProgress, RUN_STATUS.waiting];

@Injectable()
export class ThreadsMetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly journal: ThreadJournal,
    private readonly streams: ThreadStreamService,
    private readonly watchers: ThreadWatchService,
    private readonly threads: ThreadListService,
    private readonly journalLoad: JournalLoadGauge,
  ) {}

  onModuleInit(): void {
    this.journalLoad.setReading(() => this.journal.load);
    const { figures } = this.journal;
    const counts = new CachedReading(STORAGE_READING_MS, () => this.threads.countByStatus(WATCHED));
    const { metrics } = this;
    metrics.add(figures.groupJobs, figures.commitSeconds);
    metrics.gauge('waystation_journal_queue_jobs', 'Jobs that wait to be written.', () => this.journal.load.jobs);
    metrics.gauge('waystation_journal_queue_bytes', 'Memory that these jobs hold.', () => this.journal.load.bytes);
    metrics.counter('waystation_journal_refused_total', 'Jobs refused: the queue was full.', () => figures.refused);
    metrics.gauge(
      'waystation_thread_streams_open',
      'Readers that follow a thread here.',
      () => this.streams.openStreams,
    );
    metrics.gauge(
      'waystation_all_threads_streams_open',
      'Readers that follow all threads here.',
      () => this.watchers.openStreams,
    );
    metrics.gauge(
      'waystation_threads',
      'Threads in a status that is not final, in the whole storage.',
      async () => {
        const found = await counts.get();
        return found && WATCHED.map((status) => ({ labels: { status }, value: found.get(status) ?? 0 }));
      },
      ['status'],
    );
    const silent = new CachedReading(STORAGE_READING_MS, () => this.threads.countSilent());
    metrics.gauge(
      'waystation_threads_silent',
      'Threads in progress that have not been heard of for some time, in the whole storage.',
      () => silent.get(),
    );
  }
}
