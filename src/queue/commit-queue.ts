import { SingleFlight } from '../common/single-flight.js';

const MAX_GROUP = 64;

interface Waiting<Job, Result> {
  job: Job;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How the jobs of one queue are stored. */
export interface JobWriter<Job, Result> {
  /**
   * Stores the jobs in one transaction, or nothing of them. It may be called again with the same jobs.
   * @param isRetry this is one job of a group that failed, tried alone
   * @returns the results in the order of the jobs
   */
  commit(jobs: readonly Job[], isRetry: boolean): Promise<readonly Result[]>;
  /** Whether every job of the group would fail like this, as when the storage is at fault. */
  failsAlike(error: unknown): boolean;
}

/**
 * Jobs that arrive while a transaction is under way share the next one, so that many of them cost one sync of the disk. A job that
 * fails does not take the others of its group with it.
 */
export class CommitQueue<Job, Result> {
  private readonly waiting: Waiting<Job, Result>[] = [];
  private readonly work = new SingleFlight(() => this.commitAll());

  constructor(private readonly writer: JobWriter<Job, Result>) {}

  /** Jobs that wait for their transaction. */
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

  /** Resolves when nothing waits or is under way. */
  idle(): Promise<void> {
    return this.work.idle();
  }

  private async commitAll(): Promise<void> {
    // The jobs that arrive in the same turn of the event loop belong together.
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
