import { SingleFlight } from '../common/single-flight.js';

const MAX_GROUP = 64;

interface Waiting<Job, Result> {
  job: Job;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface JobWriter<Job, Result> {
  /**
   * Stores the jobs in one transaction, or none of them. It may be called again with the same jobs.
   * @param isRetry true for one job of a failed group, tried alone
   * @returns the results in job order
   */
  commit(jobs: readonly Job[], isRetry: boolean): Promise<readonly Result[]>;
  /** Whether every job of the group would fail alike, as when the storage fails. */
  failsAlike(error: unknown): boolean;
}

/**
 * Jobs that arrive during a transaction share the next one, so that many cost one disk sync. A failing job does not affect the others of
 * its group.
 */
export class CommitQueue<Job, Result> {
  private readonly waiting: Waiting<Job, Result>[] = [];
  private readonly work = new SingleFlight(() => this.commitAll());

  constructor(private readonly writer: JobWriter<Job, Result>) {}

  /** Waiting jobs. */
  get length(): number {
    return this.waiting.length;
  }

  /** Resolves when the job is durable. @throws what the writer threw for it */
  add(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.work.wake();
    });
  }

  /** Resolves when nothing waits or runs. */
  idle(): Promise<void> {
    return this.work.idle();
  }

  private async commitAll(): Promise<void> {
    // Jobs that arrive in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.commit(this.waiting.splice(0, MAX_GROUP), false);
  }

  private async commit(group: readonly Waiting<Job, Result>[], isRetry: boolean): Promise<void> {
    try {
      const jobs = group.map(({ job }) => job);
      const results = await this.writer.commit(jobs, isRetry);
      group.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      if (group.length === 1 || this.writer.failsAlike(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await this.commit([one], true);
    }
  }
}
