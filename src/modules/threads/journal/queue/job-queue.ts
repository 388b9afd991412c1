import { DomainError } from '../../../../common/domain-error.js';
import type { SeenDigests } from '../rules/event-digests.js';
import type { UnitOfWork } from '../store/unit-of-work.js';

/** Work on locked threads. It may run more than once; only the last run counts. */
export interface JournalJob<T> {
  readonly name: string;
  /** The threads it may touch; all are locked before it starts. */
  threadIds: readonly string[];
  /** Bytes of memory that it holds while it waits. */
  bytes: number;
  /** Digests of its events. Those of all jobs in a transaction are looked up together. */
  digests?: SeenDigests;
  /**
   * Whether it reads or writes rows outside the journal, such as approvals. Jobs of one transaction cannot see each other's such rows
   * (`UnitOfWork.write`), so no other job on its threads shares its transaction.
   */
  isAlone?: boolean;
  run(unitOfWork: UnitOfWork): Promise<T>;
}

export interface QueuedJob {
  readonly job: JournalJob<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

export type Jobs = readonly QueuedJob[];

const MAX_GROUP_JOBS = 64;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;
/** Largest small job, and the room reserved for small jobs, so that large ones never crowd them out. */
const SMALL_BYTES = 256 * 1024;
const SMALL_JOBS_BYTES = 16 * 1024 * 1024;

/** Waiting jobs and busy threads. No two groups in progress share a thread, and a thread's jobs keep their order. */
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

  /** A single job always fits, however large. */
  hasRoomFor({ bytes }: Pick<JournalJob<unknown>, 'bytes'>): boolean {
    if (this.waiting.length >= this.limits.jobs) return false;
    const limit = this.limits.bytes + (bytes <= SMALL_BYTES ? SMALL_JOBS_BYTES : 0);
    return this.waiting.length === 0 || this.waitingBytes + bytes <= limit;
  }

  add(queued: QueuedJob): void {
    this.waiting.push(queued);
    this.waitingBytes += queued.job.bytes;
  }

  /** The oldest jobs whose threads are free. A job that must wait holds back later jobs on its threads. */
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

  occupy(jobs: readonly QueuedJob[]): void {
    for (const id of threadIdsOf(jobs)) this.busy.add(id);
  }

  release(jobs: readonly QueuedJob[]): void {
    for (const id of threadIdsOf(jobs)) this.busy.delete(id);
  }
}

export function queueFull(): DomainError {
  const options = { retryAfterSeconds: 1 };
  return new DomainError('unavailable', 'queue_full', 'Too much is waiting to be written.', options);
}

export function threadIdsOf(jobs: readonly QueuedJob[]): string[] {
  const ids: string[] = [];
  for (const { job } of jobs) ids.push(...job.threadIds);
  return ids;
}

/** Splits jobs into as many groups as possible without separating those that share a thread. Keeps arrival order. */
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

/**
 * Splits later jobs into those that must wait, because they share a thread with one of `others` or with a waiting job, and those that need
 * not. Both keep their order.
 */
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
 * Splits a failed group minimally to isolate the failing job. A thread's jobs keep their order.
 * @param culprit the job that failed, after those before it succeeded; null if unknown: then the group is halved
 */
export function partsWithout(group: Jobs, culprit: QueuedJob | null, error: unknown): Jobs[] {
  if (culprit === null) {
    const half = Math.ceil(group.length / 2);
    return [group.slice(0, half), group.slice(half)];
  }
  const at = group.indexOf(culprit);
  const later = group.slice(at + 1);
  if (at === 0) {
    culprit.reject(error);
    return [later];
  }
  const { waiting, free } = behind(later, [culprit]);
  return [group.slice(0, at), free, [culprit], waiting];
}

export type Outcome = { value: unknown } | { refusal: DomainError };

export function settle({ resolve, reject }: QueuedJob, outcome: Outcome): void {
  if ('refusal' in outcome) reject(outcome.refusal);
  else resolve(outcome.value as never);
}
