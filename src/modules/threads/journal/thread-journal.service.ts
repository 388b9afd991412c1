import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/domain-error.js';
import { Logger } from '../../../common/logger.js';
import { IngestionConfig } from '../../../config/ingestion.config.js';
import { Database, type CommitOptions } from '../../../database/database.js';
import { isLockTimeout } from '../../../database/database-fault.js';
import { UnitOfWork } from './store/unit-of-work.js';
import {
  behind,
  clustersOf,
  JobQueue,
  partsWithout,
  queueFull,
  settle,
  threadIdsOf,
  type Jobs,
  type JournalJob,
  type Outcome,
  type QueuedJob,
} from './queue/job-queue.js';
import { JournalFigures } from './queue/journal-figures.js';
import { JournalRepository } from './store/journal.repository.js';
import { JournalWriter } from './store/journal-writer.js';
import { ThreadCache } from './store/thread-cache.js';
import type { ThreadState } from './rules/thread-state.js';

export type { UnitOfWork };

interface Locked {
  jobs: Jobs;
  error: unknown;
}

/** Bytes of loaded texts at which a transaction takes on no further job. */
const MAX_LOADED_BYTES = 32 * 1024 * 1024;
/** One group is prepared while the one before it is written. */
const MAX_LANES = 2;
/** Blocked groups that keep waiting for locks; each holds a connection. More are refused at once. */
const MAX_BLOCKED_GROUPS = 3;
/** Milliseconds a lane waits for locks. After a timeout, each part waits less. */
const LANE_LOCK_TIMEOUT_MS = 500;
const SECOND_LOCK_TIMEOUT_MS = 50;

/**
 * The only way to write threads. Jobs that arrive while transactions are in progress share the next one, so that many small requests cost
 * one disk sync. A job resolves when its transaction is durable.
 * No two groups in progress share a thread, and a thread's jobs keep their order.
 */
@Injectable()
export class ThreadJournal implements OnApplicationShutdown {
  readonly figures = new JournalFigures();
  private readonly cache: ThreadCache;
  private readonly queue: JobQueue;
  private readonly lanes = new Set<Promise<void>>();
  /**
   * Jobs whose threads are being looked up or written, not jobs that are running, which may take long. With a shared database only those
   * being written count, because a lookup may wait for locks.
   */
  private jobsAhead = 0;
  private isDrainPlanned = false;
  private readonly blockedJobs = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly repository: JournalRepository,
    private readonly writer: JournalWriter,
    private readonly clock: Clock,
    private readonly logger: Logger,
    config: IngestionConfig,
  ) {
    this.cache = new ThreadCache(config.cacheBytes);
    this.queue = new JobQueue({ jobs: config.queueMaxRequests, bytes: config.queueMaxBytes });
  }

  /**
   * Runs the job in a transaction and resolves when it is durable.
   * @throws DomainError `queue_full` if too much is waiting; then nothing was queued
   */
  submit<T>(job: JournalJob<T>): Promise<T> {
    if (!this.queue.hasRoomFor(job)) {
      this.figures.refused += 1;
      return Promise.reject(queueFull());
    }
    return new Promise<T>((resolve, reject) => {
      this.queue.add({ job, resolve, reject });
      this.planDrain();
    });
  }

  get load(): { jobs: number; bytes: number } {
    return this.queue.load;
  }

  /** The thread as this process last committed it, if it is in memory. Other instances may have changed it since. */
  remembered(threadId: string): ThreadState | null {
    return this.cache.get(threadId);
  }

  /** The same for a caller that will write the thread soon, which keeps it in memory anyway. */
  rememberedForNow(threadId: string): ThreadState | null {
    return this.cache.peek(threadId);
  }

  async onApplicationShutdown(): Promise<void> {
    while (this.lanes.size + this.blockedJobs.size + this.queue.length > 0) {
      await Promise.all([...this.lanes, ...this.blockedJobs]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Requests that arrive in the same turn of the event loop belong together. */
  private planDrain(): void {
    if (this.isDrainPlanned || this.lanes.size >= MAX_LANES) return;
    this.isDrainPlanned = true;
    setImmediate(() => {
      this.isDrainPlanned = false;
      this.drain();
    });
  }

  private drain(): void {
    while (this.mayOpenLane()) {
      const group = this.queue.takeGroup();
      if (group.length === 0) return;
      this.queue.occupy(group);
      const lane: Promise<void> = this.runGroup(group, LANE_LOCK_TIMEOUT_MS).then((locked) => {
        this.lanes.delete(lane);
        this.queue.release(group);
        for (const jobs of locked) this.setBlockedAside(jobs);
        this.drain();
      });
      this.lanes.add(lane);
    }
  }

  /**
   * A group waits until it is as large as the one ahead of it: otherwise batches alternate between one job and everything else, at about
   * the same cost per commit. With one writer it could not be written earlier anyway.
   */
  private mayOpenLane(): boolean {
    return this.lanes.size < MAX_LANES && this.queue.length >= this.jobsAhead;
  }

  /** Its threads stay busy, so that later jobs on them wait behind it. */
  private setBlockedAside({ jobs, error }: Locked): void {
    if (this.blockedJobs.size >= MAX_BLOCKED_GROUPS) return jobs.forEach((job) => job.reject(error));
    this.queue.occupy(jobs);
    const blocked: Promise<void> = this.runGroup(jobs, null).then(() => {
      this.blockedJobs.delete(blocked);
      this.queue.release(jobs);
      this.drain();
    });
    this.blockedJobs.add(blocked);
  }

  /**
   * Settles the jobs and returns those whose threads others lock: they wait aside.
   * @param lockTimeoutMs null for the database's own limit; then all are settled
   */
  private async runGroup(group: Jobs, lockTimeoutMs: number | null): Promise<Locked[]> {
    const progress: Progress = { outcomes: [], underWay: null };
    try {
      await this.commit(group, progress, { lockTimeoutMs: lockTimeoutMs ?? undefined });
    } catch (error) {
      this.forget(group);
      if (lockTimeoutMs !== null && isLockTimeout(error)) return this.withoutLocked(group, error);
      // If the storage failed, every job would fail alike; otherwise isolate the failing job from the others.
      if (group.length > 1 && !(error instanceof DomainError)) {
        const job = progress.underWay?.job.name ?? null;
        this.logger.warn({ err: error, job, jobs: group.length }, 'a group of jobs failed; retrying in parts');
        return this.inOrder(partsWithout(group, progress.underWay, error), lockTimeoutMs);
      }
      group.forEach((job) => job.reject(error));
      return [];
    }
    const { outcomes } = progress;
    outcomes.forEach((outcome, i) => settle(group[i]!, outcome));
    return outcomes.length === group.length ? [] : this.runGroup(group.slice(outcomes.length), lockTimeoutMs);
  }

  /** Runs the parts one by one. Jobs that share a thread with blocked ones wait behind them, and fail as they do. */
  private async inOrder(parts: readonly Jobs[], lockTimeoutMs: number | null): Promise<Locked[]> {
    const timeoutMs = lockTimeoutMs === null ? null : SECOND_LOCK_TIMEOUT_MS;
    const errors = new Map<QueuedJob, unknown>();
    let locked: QueuedJob[] = [];
    for (const part of parts) {
      const { waiting, free } = behind(part, locked);
      const found = free.length === 0 ? [] : await this.runGroup(free, timeoutMs);
      for (const { jobs, error } of found) for (const job of jobs) errors.set(job, error);
      locked = [...locked, ...found.flatMap(({ jobs }) => jobs), ...waiting];
    }
    return clustersOf(locked).map((jobs) => ({ jobs, error: errors.get(jobs.find((job) => errors.has(job))!) }));
  }

  /** One locked thread must not delay the others. */
  private async withoutLocked(group: Jobs, error: unknown): Promise<Locked[]> {
    const clusters = clustersOf(group);
    if (clusters.length === 1) return [{ jobs: group, error }];
    const locked: Locked[] = [];
    for (const jobs of clusters) locked.push(...(await this.runGroup(jobs, SECOND_LOCK_TIMEOUT_MS)));
    return locked;
  }

  /** Commits the first jobs of the group. If they load much, the rest go into another transaction. */
  private async commit(group: Jobs, progress: Progress, options: CommitOptions): Promise<void> {
    const startedMs = performance.now();
    const threadIds = new Set(threadIdsOf(group));
    let ahead = 0;
    const keepAhead = (jobs: number) => {
      this.jobsAhead += jobs - ahead;
      ahead = jobs;
    };
    let open: UnitOfWork | null = null;
    const commit = this.database.commitScript(async (reader) => {
      open?.settle();
      keepAhead(this.database.isShared ? 0 : group.length);
      // A retried transaction starts over: the earlier try's job is not to blame for a new failure.
      progress.outcomes = [];
      progress.underWay = null;
      const context = {
        reader,
        repository: this.repository,
        cache: this.cache,
        participants: this.writer.participants,
        lockTimeoutMs: options.lockTimeoutMs ?? null,
      };
      const drafts = await UnitOfWork.open(context, threadIds, this.clock, !this.database.isShared);
      open = drafts;
      await drafts.lookUpSeen(group.map(({ job }) => job.digests));
      keepAhead(0);
      for (const queued of group) {
        if (progress.outcomes.length > 0 && drafts.loadedBytes >= MAX_LOADED_BYTES) break;
        progress.underWay = queued;
        progress.outcomes.push(await attempt(queued.job, drafts));
      }
      progress.underWay = null;
      const finished = drafts.finish();
      // Include threads of which only `last_seq` changed: requests wait for it.
      const changed = finished.filter(({ isTouched }) => isTouched).map(({ pk }) => pk);
      const script = this.writer.scriptFor(finished, drafts);
      keepAhead(progress.outcomes.length);
      return { script, result: { drafts, changed } };
    }, options);
    const committed = await commit.finally(() => {
      keepAhead(0);
      open?.settle();
    });
    this.figures.groupJobs.observe(progress.outcomes.length);
    this.figures.commitSeconds.observe((performance.now() - startedMs) / 1000);
    committed.drafts.publish();
    if (committed.drafts.hasNews) this.writer.participants.tellCommitted();
    this.writer.tellListeners(committed.changed);
  }

  private forget(group: readonly QueuedJob[]): void {
    for (const id of threadIdsOf(group)) this.cache.drop(id);
  }
}

interface Progress {
  outcomes: Outcome[];
  /** The running job; null before the first and while writing. */
  underWay: QueuedJob | null;
}

/** A job that refuses has changed nothing and fails alone; any other error ends the transaction. */
async function attempt(job: JournalJob<unknown>, drafts: UnitOfWork): Promise<Outcome> {
  try {
    const value = await job.run(drafts);
    await drafts.finishJob(job.threadIds);
    return { value };
  } catch (error) {
    if (error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'storage_full') {
      return { refusal: error };
    }
    throw error;
  }
}
