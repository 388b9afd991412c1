import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/domain-error.js';
import { IngestionConfig } from '../../../config/ingestion.config.js';
import { Database, type CommitOptions } from '../../../database/database.js';
import { isLockTimeout } from '../../../database/database-fault.js';
import type { JournalParticipant } from '../threads.events.js';
import { DraftSet } from './draft-set.js';
import { JournalRepository } from './journal.repository.js';
import { JournalWriter } from './journal-writer.js';
import { ThreadCache } from './thread-cache.js';
import type { ThreadState } from './thread-state.js';

/** A piece of work on locked threads. It may run more than once; only its last run counts. */
export interface JournalJob<T> {
  /** The threads that it may touch; all are locked before it starts. */
  threadIds: readonly string[];
  /** Memory that it holds while it waits. */
  bytes: number;
  /** Whether it writes by statements of its own (`DraftSet.write`), which no other job of the same transaction would see. */
  isWriting?: boolean;
  work: (drafts: DraftSet) => Promise<T>;
}

interface Waiting extends JournalJob<unknown> {
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Jobs that cannot be run together with others, and the error that tells why. */
interface Locked {
  jobs: readonly Waiting[];
  error: unknown;
}

const MAX_GROUP_JOBS = 64;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;
/** One group is worked out while the one before it is being written. */
const MAX_LANES = 2;
/** Jobs that go on waiting for locks of others, beside the lanes; each holds a connection. More are refused at once. */
const MAX_STRAGGLERS = 3;
/** Milliseconds that a lane waits for locks of others; where a group did so in vain, each of its jobs waits less. */
const LANE_LOCK_TIMEOUT_MS = 500;
const SECOND_LOCK_TIMEOUT_MS = 50;

/**
 * The only way to write threads: jobs that arrive while transactions are under way share the next one,
 * so that many small requests cost one sync of the disk. A job is answered when its transaction is durable.
 * No two groups under way touch the same thread, and jobs of one thread keep their order.
 */
@Injectable()
export class ThreadJournal implements OnApplicationShutdown {
  private readonly cache: ThreadCache;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private readonly lanes = new Set<Promise<void>>();
  /** The threads of the groups under way. */
  private readonly busy = new Set<string>();
  private isDrainPlanned = false;
  /** Jobs whose threads others lock. */
  private readonly stragglers = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly repository: JournalRepository,
    private readonly writer: JournalWriter,
    private readonly clock: Clock,
    private readonly config: IngestionConfig,
  ) {
    this.cache = new ThreadCache(config.cacheBytes);
  }

  /**
   * Runs the job in a transaction and resolves when it is durable.
   * @throws DomainError `queue_full` when too much is waiting already; then nothing was taken on.
   */
  submit<T>(job: JournalJob<T>): Promise<T> {
    const isFull =
      this.waiting.length >= this.config.queueMaxRequests ||
      (this.waiting.length > 0 && this.waitingBytes + job.bytes > this.config.queueMaxBytes);
    if (isFull) {
      const options = { retryAfterSeconds: 1 };
      return Promise.reject(
        new DomainError('unavailable', 'queue_full', 'Too much is waiting to be written.', options),
      );
    }
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ ...job, resolve, reject });
      this.waitingBytes += job.bytes;
      this.planDrain();
    });
  }

  /** The thread as it was last committed by this process, if it is still in memory; elsewhere it may have moved on since. */
  remembered(threadId: string): ThreadState | null {
    return this.cache.get(threadId);
  }

  /** Lets another module write rows in the transactions that it cares about. */
  addParticipant(participant: JournalParticipant): void {
    this.writer.addParticipant(participant);
  }

  /** Tables of other modules whose rows belong to threads. */
  get participantTables(): readonly string[] {
    return this.writer.participantTables;
  }

  /** What other modules do in the transaction that deletes the thread. */
  scriptForDeletion(threadId: string, nowMs: number): string {
    return this.writer.scriptForDeletion(threadId, nowMs);
  }

  async onApplicationShutdown(): Promise<void> {
    while (this.lanes.size + this.stragglers.size + this.waiting.length > 0) {
      await Promise.all([...this.lanes, ...this.stragglers]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The requests that arrive in the same turn of the event loop belong together. */
  private planDrain(): void {
    if (this.isDrainPlanned || this.lanes.size >= MAX_LANES) return;
    this.isDrainPlanned = true;
    setImmediate(() => {
      this.isDrainPlanned = false;
      this.drain();
    });
  }

  private drain(): void {
    while (this.lanes.size < MAX_LANES) {
      const group = this.takeGroup();
      if (group.length === 0) return;
      this.occupy(group);
      const lane: Promise<void> = this.runGroup(group, LANE_LOCK_TIMEOUT_MS).then((locked) => {
        this.lanes.delete(lane);
        this.release(group);
        for (const jobs of locked) this.letStraggle(jobs);
        this.drain();
      });
      this.lanes.add(lane);
    }
  }

  /** Its threads stay busy, so that later jobs of theirs keep behind it. */
  private letStraggle({ jobs, error }: Locked): void {
    if (this.stragglers.size >= MAX_STRAGGLERS) return jobs.forEach((job) => job.reject(error));
    this.occupy(jobs);
    const straggler: Promise<void> = this.runGroup(jobs, null).then(() => {
      this.stragglers.delete(straggler);
      this.release(jobs);
      this.drain();
    });
    this.stragglers.add(straggler);
  }

  private occupy(jobs: readonly Waiting[]): void {
    for (const job of jobs) for (const id of job.threadIds) this.busy.add(id);
  }

  private release(jobs: readonly Waiting[]): void {
    for (const job of jobs) for (const id of job.threadIds) this.busy.delete(id);
  }

  /** The oldest jobs whose threads are free; who has to wait makes later jobs of its threads wait too. */
  private takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    const left: Waiting[] = [];
    const closed = new Set<string>();
    let bytes = 0;
    let seen = 0;
    for (const job of this.waiting) {
      if (group.length === MAX_GROUP_JOBS || bytes >= MAX_GROUP_BYTES) break;
      seen += 1;
      const isFree = !job.threadIds.some((id) => this.busy.has(id) || closed.has(id));
      if (!isFree || job.isWriting) for (const id of job.threadIds) closed.add(id);
      (isFree ? group : left).push(job);
      if (isFree) bytes += job.bytes;
    }
    this.waitingBytes -= bytes;
    this.waiting = [...left, ...this.waiting.slice(seen)];
    return group;
  }

  /**
   * Settles the jobs, except for those that it answers: others lock their threads, and they may straggle.
   * @param lockTimeoutMs null for as long as the database allows; then all are settled
   */
  private async runGroup(group: readonly Waiting[], lockTimeoutMs: number | null): Promise<Locked[]> {
    try {
      const outcomes = await this.commit(group, { lockTimeoutMs: lockTimeoutMs ?? undefined });
      group.forEach((job, i) => settle(job, outcomes[i]!));
    } catch (error) {
      this.forget(group);
      if (lockTimeoutMs !== null && isLockTimeout(error)) return this.withoutLocked(group, error);
      // Where the storage is at fault all would fail alike; else the one that is at fault must not take the others with it.
      if (group.length === 1 || error instanceof DomainError) group.forEach((job) => job.reject(error));
      else for (const job of group) await this.runGroup([job], null);
    }
    return [];
  }

  /** Others must not wait because one thread is locked. */
  private async withoutLocked(group: readonly Waiting[], error: unknown): Promise<Locked[]> {
    const clusters = clustersOf(group);
    if (clusters.length === 1) return [{ jobs: group, error }];
    const locked: Locked[] = [];
    for (const jobs of clusters) locked.push(...(await this.runGroup(jobs, SECOND_LOCK_TIMEOUT_MS)));
    return locked;
  }

  private async commit(group: readonly Waiting[], options: CommitOptions): Promise<Outcome[]> {
    const threadIds = new Set(threadIdsOf(group));
    const committed = await this.database.commitScript(async (reader) => {
      const context = [reader, this.repository, this.cache] as const;
      const drafts = await DraftSet.open(context, threadIds, this.clock.nowMs(), !this.database.isShared);
      const outcomes: Outcome[] = [];
      for (const job of group) outcomes.push(await attempt(job, drafts));
      const finished = drafts.finish();
      const changed = finished.filter(({ isChanged }) => isChanged).map(({ pk }) => pk);
      const script = drafts.script + this.writer.scriptFor(finished);
      return { script, result: { drafts, outcomes, changed } };
    }, options);
    committed.drafts.publish();
    this.writer.tellListeners(committed.changed);
    return committed.outcomes;
  }

  private forget(group: readonly Waiting[]): void {
    for (const job of group) for (const id of job.threadIds) this.cache.drop(id);
  }
}

function threadIdsOf(jobs: readonly Waiting[]): string[] {
  return jobs.flatMap(({ threadIds }) => threadIds);
}

/** The jobs in as many groups as can be without parting those that share a thread, each in the order of arrival. */
function clustersOf(jobs: readonly Waiting[]): Waiting[][] {
  let clusters: Waiting[][] = [];
  for (const job of jobs) {
    const ids = new Set(job.threadIds);
    const isRelated = (cluster: Waiting[]) => threadIdsOf(cluster).some((id) => ids.has(id));
    const related = clusters.filter(isRelated);
    clusters = [...clusters.filter((cluster) => !related.includes(cluster)), [...related.flat(), job]];
  }
  return clusters;
}

type Outcome = { value: unknown } | { refusal: DomainError };

/** A job that refuses, before it changed anything, fails alone; any other error ends the transaction. */
async function attempt(job: Waiting, drafts: DraftSet): Promise<Outcome> {
  try {
    return { value: await job.work(drafts) };
  } catch (error) {
    if (error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'storage_full') {
      return { refusal: error };
    }
    throw error;
  }
}

function settle(job: Waiting, outcome: Outcome): void {
  if ('refusal' in outcome) job.reject(outcome.refusal);
  else job.resolve(outcome.value as never);
}
