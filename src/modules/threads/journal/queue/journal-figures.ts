import { Histogram } from 'prom-client';
import { LATENCY_BUCKETS } from '../../../../common/metrics/metrics.js';

/** What the journal counts about itself. */
export class JournalFigures {
  /** Jobs that were refused because too much was waiting. */
  refused = 0;

  readonly groupJobs = new Histogram({
    name: 'waystation_journal_group_jobs',
    help: 'Jobs committed together.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [],
  });

  /** From the first question to the storage until the commit is durable. */
  readonly commitSeconds = new Histogram({
    name: 'waystation_journal_commit_seconds',
    help: 'Time until a group was durable.',
    buckets: LATENCY_BUCKETS,
    registers: [],
  });
}
