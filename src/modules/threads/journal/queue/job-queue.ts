import { DomainError } from '../../../../common/domain-error.js';
import type { SeenDigests } from '../rules/event-digests.js';
import type { UnitOfWork } from '../store/unit-of-work.js';

/** A piece of work on locked threads. It may run more than once; only its last run counts. */
export interface JournalJob<T> {
  /** What it does, for whoever looks for the one that failed. */
  readonly name: string;
  /** The threads that it may touch; all are locked before it starts. */
  threadIds: readonly string[];
  /** Memory that it holds while it waits. */
  bytes: number;
  /** What its events will be known by, so that those which are known already are found for all jobs of a transaction together. */
  digests?: SeenDigests;
  /**
   * Whether it reads or writes rows that are not the journal's, such as approvals. It sees nothing of those that other jobs of the same
   * transaction write, nor they of its own (`UnitOfWork.write`): so no other job of its threads shares its transaction.
   */
  isAlone?: boolean;
  run(unitOfWork: UnitOfWork): Promise<T>;
}

export interface QueuedJob {
  readonly job: JournalJob<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** In the order of their arrival. */
export type Jobs = readonly QueuedJob[];

const MAX_GROUP_JOBS = 64;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;
/** Bytes up to which a job is small, and room that only such jobs get, so that large ones never keep them out. */
const SMALL_BYTES = 256 * 1024;
const SMALL_JOBS_BYTES = 16 * 1024 * 1024;

/** Jobs that wait, and the threads that are under way: no two groups touch the same thread, and jobs of one thread keep their order. */
export class JobQueue {
  private waiting: QueuedJob[] = [];
  private waitingBytes = 0;
  private readonly busy = new Set<string>();

  constructor(private readonly limits: { jobs: number; bytes: number }) {}

  get length(): number {
    return this.waiting.length;
  }

  get load(): { jobs: number; bytes: number } {
    return { jobs: this.waiting.length, bytes: this.waitingBytes };
  }

  /** Whether there is room; a single job always has, however large. */
  hasRoomFor({ bytes }: Pick<JournalJob<unknown>, 'bytes'>): boolean {
    if (this.waiting.length >= this.limits.jobs) return false;
    const limit = this.limits.bytes + (bytes <= SMALL_BYTES ? SMALL_JOBS_BYTES : 0);
    return this.waiting.length === 0 || this.waitingBytes + bytes <= limit;
  }

  add(queued: QueuedJob): void {
    this.waiting.push(queued);
    this.waitingBytes += queued.job.bytes;
  }

  /** The oldest jobs whose threads are free; who has to wait makes later jobs of its threads wait too. */
  takeGroup(): QueuedJob[] {
    const group: QueuedJob[] = [];
    const left: QueuedJob[] = [];
    const closed = new Set<string>();
    let bytes = 0;
    let seen = 0;
    for (const queued of this.waiting) {
      const { job } = queued;
      if (group.length === MAX_GROUP_JOBS || bytes >= MAX_GROUP_BYTES) break;
      seen += 1;
      const isClosed = job.threadIds.some((id) => this.busy.has(id) || closed.has(id));
      const isFree = !isClosed && !(job.isAlone && behind([queued], group).waiting.length > 0);
      if (!isFree || job.isAlone) for (const id of job.threadIds) closed.add(id);
      (isFree ? group : left).push(queued);
      if (isFree) bytes += job.bytes;
    }
    this.waitingBytes -= bytes;
    this.waiting = [...left, ...this.waiting.slice(seen)];
    return group;
  }

  /** Later jobs of these threads wait until they are released. */
  occupy(jobs: readonly QueuedJob[]): void {
    for (const id of threadIdsOf(jobs)) this.busy.add(id);
  }

  release(jobs: readonly QueuedJob[]): void {
    for (const id of threadIdsOf(jobs)) this.busy.delete(id);
  }
}

/** The error for a job that there is no room for. */
export function queueFull(): DomainError {
  const options = { retryAfterSeconds: 1 };
  return new DomainError('unavailable', 'queue_full', 'Too much is waiting to be written.', options);
}

export function threadIdsOf(jobs: readonly QueuedJob[]): string[] {
  const ids: string[] = [];
  for (const { job } of jobs) ids.push(...job.threadIds);
  return ids;
}

/** The jobs in as many groups as can be without parting those that share a thread, each in the order of arrival. */
export function clustersOf(jobs: readonly QueuedJob[]): QueuedJob[][] {
  let clusters: QueuedJob[][] = [];
  for (const queued of jobs) {
    const ids = new Set(queued.job.threadIds);
    const isRelated = (cluster: QueuedJob[]) => threadIdsOf(cluster).some((id) => ids.has(id));
    const related = clusters.filter(isRelated);
    clusters = [...clusters.filter((cluster) => !related.includes(cluster)), [...related.flat(), queued]];
  }
  return clusters;
}

/** Which of these later jobs have to wait for others, because they share a thread with one of them or with a job that waits; both in their order. */
export function behind(
  later: readonly QueuedJob[],
  others: readonly QueuedJob[],
): { waiting: QueuedJob[]; free: QueuedJob[] } {
  const [waiting, free]: [QueuedJob[], QueuedJob[]] = [[], []];
  const busy = new Set(threadIdsOf(others));
  for (const queued of later) {
    const { threadIds } = queued.job;
    const hasToWait = threadIds.some((id) => busy.has(id));
    (hasToWait ? waiting : free).push(queued);
    if (hasToWait) for (const id of threadIds) busy.add(id);
  }
  return { waiting, free };
}

/**
 * Splits a failed group, as little as isolates the failing job. The jobs of a thread keep their order.
 * @param culprit the job that failed, after those before it; null where the error does not tell: then halves, which are parted again
 */
export function partsWithout(group: Jobs, culprit: QueuedJob | null, error: unknown): Jobs[] {
  if (culprit === null) {
    const half = Math.ceil(group.length / 2);
    return [group.slice(0, half), group.slice(half)];
  }
  const at = group.indexOf(culprit);
  const later = group.slice(at + 1);
  if (at === 0) {
    culprit.reject(error); // no other job had a part in it
    return [later];
  }
  const { waiting, free } = behind(later, [culprit]);
  return [group.slice(0, at), free, [culprit], waiting];
}

/** What became of a job: what it answers, or why it was refused. */
export type Outcome = { value: unknown } | { refusal: DomainError };

/** Tells whoever waits for it. */
export function settle({ resolve, reject }: QueuedJob, outcome: Outcome): void {
  if ('refusal' in outcome) reject(outcome.refusal);
  else resolve(outcome.value as never);
}
