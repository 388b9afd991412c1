import { Histogram } from 'prom-client';
import { LATENCY_BUCKETS } from '../../../../common/metrics/metrics.js';

export class JournalFigures {
  /** Jobs refused because the queue was full. */
  refused = 0;

  readonly groupJobs = new Histogram({
    name: 'waystation_journal_group_jobs',
    help: 'Jobs committed together.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [],
  });

  /** From the first read to the durable commit. */
  readonly commitSeconds = new Histogram({
    name: 'waystation_journal_commit_seconds',
    help: 'Time until a group was durable.',
    buckets: LATENCY_BUCKETS,
    registers: [],
  });
}
