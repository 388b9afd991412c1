import { Histogram, LATENCY_BUCKETS } from '../../../common/metrics/histogram.js';

/** What the journal counts about itself. */
export class JournalFigures {
  /** Jobs that were refused because too much was waiting. */
  refused = 0;

  /** Jobs of each committed group. */
  readonly groupJobs = new Histogram([1, 2, 4, 8, 16, 32, 64]);

  /** From the first question to the storage until the commit is durable. */
  readonly commitSeconds = new Histogram(LATENCY_BUCKETS);
}
